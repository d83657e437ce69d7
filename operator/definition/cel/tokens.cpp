#include "definition/cel/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.h"

namespace ganscale::controller::cel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

[[noreturn]] void fail(std::string_view expression, std::size_t at, const std::string& why) {
  throw ConfigError("CEL: " + why + " at character " + std::to_string(at + 1) + ": " +
                    std::string(expression));
}

/// Returns the end of a word or number that begins at `at`.
std::size_t end_of_word(std::string_view expression, std::size_t at) {
  const bool is_number = is_digit(expression[at]);
  const auto belongs = [&](char c) { return is_word(c) || (is_number && c == '.'); };
  return static_cast<std::size_t>(
      std::find_if_not(expression.begin() + static_cast<std::ptrdiff_t>(at), expression.end(),
                       belongs) -
      expression.begin());
}

Token word(std::string_view expression, std::size_t at) {
  const std::string text(expression.substr(at, end_of_word(expression, at) - at));
  if (!is_digit(text[0])) return {Token::Kind::kName, text, at};
  if (std::ranges::all_of(text, is_digit)) return {Token::Kind::kInteger, text, at};
  const bool is_plain = std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; });
  if (!is_plain || std::ranges::count(text, '.') != 1 || text.back() == '.') {
    fail(expression, at, "no number: " + text);
  }
  return {Token::Kind::kNumber, text, at};
}

Token quoted(std::string_view expression, std::size_t at) {
  const std::size_t end = expression.find(expression[at], at + 1);
  if (end == std::string_view::npos) fail(expression, at, "a text without an end");
  const std::string text(expression.substr(at + 1, end - at - 1));
  if (text.find('\\') != std::string::npos) fail(expression, at, "an escape in a text");
  return {Token::Kind::kText, text, at};
}

Token sign(std::string_view expression, std::size_t at) {
  // The longer ones first.
  static constexpr std::array<std::string_view, 17> kSigns{
      "&&", "||", "==", "!=", "<=", ">", "!", "?", ":", "*", "%", "(", ")", "[", "]", ",", "."};
  for (const std::string_view known : kSigns) {
    if (expression.substr(at, known.size()) == known) {
      return {Token::Kind::kSign, std::string(known), at};
    }
  }
  fail(expression, at, "an unknown sign");
}

}  // namespace

std::vector<Token> tokens(std::string_view expression) {
  std::vector<Token> found;
  for (std::size_t at = 0; at < expression.size();) {
    const char c = expression[at];
    if (is_space(c)) {
      ++at;
      continue;
    }
    const bool is_quote = c == '\'' || c == '"';
    found.push_back(is_word(c) ? word(expression, at)
                    : is_quote ? quoted(expression, at)
                               : sign(expression, at));
    at += found.back().text.size() + (is_quote ? 2 : 0);
  }
  found.push_back({Token::Kind::kEnd, "", expression.size()});
  return found;
}

}  // namespace ganscale::controller::cel
