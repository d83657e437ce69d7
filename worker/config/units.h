#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ganscale::config {

/// Reads a whole number of bytes with an optional unit: 4096, 64KiB, 25MB, 4GiB. Nothing if it is
/// none.
std::optional<std::int64_t> parse_bytes(const std::string& text);
/// Reads a time with an optional unit as seconds: 90, 1.5s, 15m, 2h. Nothing if it is none.
std::optional<double> parse_seconds(const std::string& text);
/// Reads a whole number; nothing if there is anything else in the text.
std::optional<std::int64_t> parse_integer(const std::string& text);
/// Reads a number; nothing if there is anything else in the text or it is not finite.
std::optional<double> parse_number(const std::string& text);
/// Writes a number so that reading it gives the same double, in its shortest form.
std::string format_number(double number);

}  // namespace ganscale::config
