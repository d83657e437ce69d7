#include "planning/read_number.h"

namespace ganscale::planning {

void read_positive(config::Section& in, std::string_view key, double& value,
                   std::string_view what) {
  value = in.get(key, value, what);
  in.require(value > 0, key, "must be above 0");
}

void read_not_negative(config::Section& in, std::string_view key, double& value,
                       std::string_view what) {
  value = in.get(key, value, what);
  in.require(value >= 0, key, "must not be negative");
}

}  // namespace ganscale::planning
