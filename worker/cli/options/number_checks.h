#pragma once

#include <string>

namespace ganscale::cli {

/// Each checks the value of an option, for CLI::Option::check(). Returns what is wrong with it, or
/// nothing: "must be a positive integer: 0", "not a number: two".
std::string positive_integer(const std::string& text);
std::string non_negative_integer(const std::string& text);
std::string finite_number(const std::string& text);
std::string positive_number(const std::string& text);
std::string non_negative_number(const std::string& text);

}  // namespace ganscale::cli
