#include "base/utc_text.h"

#include <array>

namespace ganscale {

std::string utc_text(std::time_t seconds, const char* format) {
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 48> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &utc)};
}

}  // namespace ganscale
