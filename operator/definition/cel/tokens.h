#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ganscale::controller::cel {

struct Token {
  enum class Kind { kName, kInteger, kNumber, kText, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;    ///< of a text without its quotes
  std::size_t at = 0;  ///< its first character in the expression
};

/// Splits an expression into tokens; the last one is kEnd. Throws ConfigError for a character that
/// begins none, an escape, or a text without an end.
std::vector<Token> tokens(std::string_view expression);

}  // namespace ganscale::controller::cel
