#include "cli/options/number_checks.h"

#include "config/units.h"

namespace ganscale::cli {

std::string positive_integer(const std::string& text) {
  const auto number = config::parse_integer(text);
  if (!number) return "not an integer: " + text;
  return *number > 0 ? "" : "must be a positive integer: " + text;
}

std::string non_negative_integer(const std::string& text) {
  const auto number = config::parse_integer(text);
  if (!number) return "not an integer: " + text;
  return *number >= 0 ? "" : "must not be negative: " + text;
}

std::string positive_number(const std::string& text) {
  const auto number = config::parse_number(text);
  if (!number) return "not a number: " + text;
  return *number > 0 ? "" : "must be a positive number: " + text;
}

std::string non_negative_number(const std::string& text) {
  const auto number = config::parse_number(text);
  if (!number) return "not a number: " + text;
  return *number >= 0 ? "" : "must not be negative: " + text;
}

}  // namespace ganscale::cli
