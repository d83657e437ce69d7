#include "cli/options/number_checks.h"

#include "config/units.h"

namespace ganscale::cli {
namespace {

/// Returns what is wrong with a text that is to be a number; nothing if it fits.
template <class Number>
std::string fault(const std::optional<Number>& number, bool fits, const char* kind,
                  const char* bound, const std::string& text) {
  if (!number) return std::string("not ") + kind + ": " + text;
  return fits ? "" : std::string("must ") + bound + ": " + text;
}

}  // namespace

std::string positive_integer(const std::string& text) {
  const auto number = config::parse_integer(text);
  return fault(number, number > 0, "an integer", "be a positive integer", text);
}

std::string non_negative_integer(const std::string& text) {
  const auto number = config::parse_integer(text);
  return fault(number, number >= 0, "an integer", "not be negative", text);
}

std::string finite_number(const std::string& text) {
  return config::parse_number(text) ? "" : "expected a finite number: " + text;
}

std::string positive_number(const std::string& text) {
  const auto number = config::parse_number(text);
  return fault(number, number > 0, "a number", "be a positive number", text);
}

std::string non_negative_number(const std::string& text) {
  const auto number = config::parse_number(text);
  return fault(number, number >= 0, "a number", "not be negative", text);
}

}  // namespace ganscale::cli
