#pragma once

#include <string>

namespace ganscale {

/// Returns the text with U+FFFD for each byte that is not UTF-8. Names of files may be any bytes; JSON
/// takes only UTF-8.
std::string valid_utf8(const std::string& text);

/// Returns the text with the letters of ASCII in lower case.
std::string in_lower_case(std::string text);

}  // namespace ganscale
