#include "report/log/tick_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ganscale::report {
namespace {

std::string fixed(double number, int digits) { return fmt::format("{:.{}f}", number, digits); }

std::string gibibytes(std::int64_t bytes) {
  return fixed(static_cast<double>(bytes) / (1 << 30), 1);
}

std::string two_units(std::int64_t major, char major_unit, std::int64_t minor, char minor_unit) {
  return fmt::format("{}{} {:02}{}", major, major_unit, minor, minor_unit);
}

std::string named_numbers(const std::string& title, const std::map<std::string, double>& numbers) {
  if (numbers.empty()) return {};
  std::string text = "  " + title;
  for (const auto& [name, number] : numbers) text += " " + name + " " + format_short(number);
  return text;
}

}  // namespace

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto whole = std::llround(std::max(0.0, seconds));
  if (whole < 60) return std::to_string(whole) + "s";
  if (whole < 3600) return two_units(whole / 60, 'm', whole % 60, 's');
  if (whole < 86400) return two_units(whole / 3600, 'h', whole % 3600 / 60, 'm');
  return two_units(whole / 86400, 'd', whole % 86400 / 3600, 'h');
}

std::string format_short(double number) {
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  if (number == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(number))));
  if (exponent >= -2 && exponent < 9) return fixed(number, std::max(0, 2 - exponent));
  return fmt::format("{:.3g}", number);
}

std::string tick_line(const Tick& tick, std::optional<double> seconds_left) {
  std::string line = "tick " + std::to_string(tick.number);
  line += "  kimg " + fixed(static_cast<double>(tick.images_seen) / 1000, 1);
  line += "  time " + format_duration(tick.seconds);
  line += "  s/kimg " + format_short(tick.seconds_per_kimg);
  line += "  maintenance " + fixed(tick.maintenance_seconds, 1) + "s";
  line += "  cpumem " + gibibytes(tick.host_memory_bytes);
  if (tick.device_memory_bytes) line += "  gpumem " + gibibytes(*tick.device_memory_bytes);
  if (tick.augment_p) line += "  augment " + fixed(*tick.augment_p, 3);
  line += named_numbers("loss", tick.losses);
  line += named_numbers("score", tick.scores);
  std::map<std::string, double> waits;
  std::map<std::string, double> ages;
  for (const auto& [network, role] : tick.roles) {
    waits[network] = role.wait_share;
    ages[network] = role.mean_age();
  }
  line += named_numbers("wait", waits);
  line += named_numbers("staleness", ages);
  if (seconds_left) line += "  left " + format_duration(*seconds_left);
  return line;
}

}  // namespace ganscale::report
