#include "config/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>

#include "base/joined.h"

namespace ganscale::config {
namespace {

using Units = std::map<std::string, double>;

const Units& units_of_bytes() {
  static const Units units = {{"", 1},
                              {"B", 1},
                              {"kB", 1e3},
                              {"MB", 1e6},
                              {"GB", 1e9},
                              {"TB", 1e12},
                              {"KiB", 1024.0},
                              {"MiB", 1048576.0},
                              {"GiB", 1073741824.0},
                              {"TiB", 1099511627776.0}};
  return units;
}

const Units& units_of_time() {
  static const Units units = {{"", 1},     {"ms", 1e-3}, {"s", 1},    {"m", 60},
                              {"min", 60}, {"h", 3600},  {"d", 86400}};
  return units;
}

struct Quantity {
  double number;
  std::string unit;
};

std::optional<Quantity> split_unit(const std::string& text) {
  const auto end = text.find_last_of("0123456789.");
  if (end == std::string::npos) return std::nullopt;
  const auto number = parse_number(text.substr(0, end + 1));
  if (!number) return std::nullopt;
  auto unit = text.substr(end + 1);
  unit.erase(0, unit.find_first_not_of(' '));
  return Quantity{*number, unit};
}

std::optional<double> in_units(const std::string& text, const Units& units) {
  const auto quantity = split_unit(text);
  if (!quantity || quantity->number < 0) return std::nullopt;
  const auto unit = units.find(quantity->unit);
  if (unit == units.end()) return std::nullopt;
  const double result = quantity->number * unit->second;
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

/// Returns a regular expression that matches at least every text of a quantity, unless that is
/// absurdly long: std::regex recurses with the text, and hostile ones would overflow the stack.
std::string pattern_of(const Units& units) {
  return "^[-+.0-9eE]{0,300}[0-9.] {0,300}(" + joined(std::views::keys(units), "|") + ")?$";
}

template <class T>
std::optional<T> parse_whole(const std::string& text) {
  T value{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_bytes(const std::string& text) {
  const auto bytes = in_units(text, units_of_bytes());
  if (!bytes || *bytes >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(*bytes);
}

std::optional<double> parse_seconds(const std::string& text) {
  return in_units(text, units_of_time());
}

std::string bytes_pattern() { return pattern_of(units_of_bytes()); }
std::string seconds_pattern() { return pattern_of(units_of_time()); }

std::optional<std::int64_t> parse_integer(const std::string& text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_number(const std::string& text) {
  const auto value = parse_whole<double>(text);
  if (value && !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::optional<bool> parse_bool(const std::string& text) {
  constexpr std::array kTrue{"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
  constexpr std::array kFalse{"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

bool is_boolean_elsewhere(const std::string& text) {
  constexpr std::array kLetters{"y", "Y", "n", "N"};
  return parse_bool(text).has_value() || std::ranges::find(kLetters, text) != kLetters.end();
}

std::string format_number(double number) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, number);
  return {text, result.ptr};
}

}  // namespace ganscale::config
