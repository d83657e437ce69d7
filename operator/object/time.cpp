#include "object/time.h"

#include <fmt/format.h>

#include <ctime>

#include "base/utc_text.h"

namespace ganscale::controller {

std::string format_time(Time time) { return utc_text(time.time_since_epoch().count()); }

std::string format_micro_time(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time - seconds).count();
  return utc_text(seconds.time_since_epoch().count(), "%Y-%m-%dT%H:%M:%S") +
         fmt::format(".{:06}Z", micros);
}

std::optional<Time> parse_time(const std::string& text) {
  std::tm utc{};
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &utc) == nullptr) return std::nullopt;
  return Time(std::chrono::seconds(timegm(&utc)));
}

}  // namespace ganscale::controller
