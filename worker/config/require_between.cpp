#include "config/require_between.h"

#include <string>

namespace ganscale::config {

void require_between(const Section& in, const char* key, std::int64_t value, std::int64_t lowest,
                     std::int64_t highest) {
  in.require(value >= lowest && value <= highest, key,
             "must be " + std::to_string(lowest) + " to " + std::to_string(highest) + ": " +
                 std::to_string(value));
}

}  // namespace ganscale::config
