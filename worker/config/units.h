#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ganscale::config {

/// Parses a number of bytes with an optional unit: 4096, 64KiB, 25MB, 4GiB. Returns nothing for any
/// other text.
std::optional<std::int64_t> parse_bytes(const std::string& text);
/// Parses a duration with an optional unit, in seconds: 90, 1.5s, 15m, 2h. Returns nothing for any
/// other text.
std::optional<double> parse_seconds(const std::string& text);
/// Returns regular expressions (ECMAScript) that match at least every text that these two parse,
/// but for ones of more than 300 digits or spaces.
std::string bytes_pattern();
std::string seconds_pattern();
/// Parses an integer. Returns nothing for any other text.
std::optional<std::int64_t> parse_integer(const std::string& text);
/// Parses a finite number. Returns nothing for any other text.
std::optional<double> parse_number(const std::string& text);
/// Parses what YAML 1.1 takes for a boolean, but for its y and n: true, yes, on and their
/// opposites, each also as True and TRUE. Returns nothing for any other text.
std::optional<bool> parse_bool(const std::string& text);
/// Whether programs that follow YAML 1.1, such as kubectl and Helm, take an unquoted text for a
/// boolean: those that parse_bool() reads, y and n.
bool is_boolean_elsewhere(const std::string& text);
/// Formats a number in the shortest form that parses to the same double.
std::string format_number(double number);

}  // namespace ganscale::config
