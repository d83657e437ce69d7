#include "report/log/tick_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ganscale::report {
namespace {

std::string fixed(double number, int digits) { return fmt::format("{:.{}f}", number, digits); }

std::string gibibytes(std::int64_t bytes) {
  return fixed(static_cast<double>(bytes) / (1 << 30), 1);
}

std::string two_units(std::int64_t major, char major_unit, std::int64_t minor, char minor_unit) {
  return fmt::format("{}{} {:02}{}", major, major_unit, minor, minor_unit);
}

/// The field's letters for the two networks; other names are short.
std::string symbol_of(const std::string& network) {
  if (network == "discriminator") return "D";
  return network == "generator" ? "G" : network;
}

std::string losses_of(const Tick& tick) {
  std::string text;
  for (const auto& [name, loss] : tick.losses)
    text += fmt::format("{}{} {:<5}", text.empty() ? "" : " ", symbol_of(name), format_short(loss));
  return text;
}

std::string scores_of(const Tick& tick) {
  const auto real = tick.scores.find("real");
  const auto fake = tick.scores.find("fake");
  if (real == tick.scores.end() || fake == tick.scores.end()) return {};
  return fmt::format("D(x) {:.2f}/{:.2f}", real->second, fake->second);
}

std::vector<std::string> fields_of(const Tick& tick) {
  std::vector<std::string> fields{losses_of(tick), scores_of(tick)};
  for (const auto& [network, role] : tick.roles)
    fields.push_back(fmt::format("{} waits {:.0f}% age {}", symbol_of(network),
                                 100 * role.wait_share, format_short(role.mean_age())));
  if (tick.augment_p) fields.push_back("augment " + fixed(*tick.augment_p, 2));
  if (tick.device_memory_bytes) fields.push_back("gpumem " + gibibytes(*tick.device_memory_bytes));
  fields.push_back("mem " + gibibytes(tick.host_memory_bytes));
  fields.push_back("maintenance " + fixed(tick.maintenance_seconds, 1) + "s");
  return fields;
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
  constexpr std::size_t kColumns = 100;
  std::string line =
      fmt::format("tick {:<3} {:>6.1f} kimg  {:>6}  {:>4} s/kimg", tick.number,
                  static_cast<double>(tick.images_seen) / 1000, format_duration(tick.seconds),
                  format_short(tick.seconds_per_kimg));
  const std::string left = seconds_left ? "  left " + format_duration(*seconds_left) : "";
  for (const std::string& field : fields_of(tick)) {
    const bool has_room = line.size() + 2 + field.size() + left.size() <= kColumns;
    if (!field.empty() && has_room) line += "  " + field;
  }
  return line + left;
}

}  // namespace ganscale::report
