#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "definition/cel/expression.h"
#include "definition/cel/tokens.h"

namespace ganscale::controller::cel {
namespace {

using Kind = Expression::Kind;

/// Binary operators, from the loosest to the tightest.
constexpr std::array<std::array<std::string_view, 5>, 4> kLevels{{
    {"||"},
    {"&&"},
    {"==", "!=", "<=", ">", "in"},
    {"*", "%"},
}};

/// A function or macro, and how many parts its call has: the target, if it has one, and arguments.
struct Callable {
  std::string_view name;
  bool has_target;
  std::size_t parts;
};

constexpr std::array<Callable, 7> kCallables{{
    {"has", false, 1},
    {"size", false, 1},
    {"matches", true, 2},
    {"startsWith", true, 2},
    {"all", true, 3},
    {"exists", true, 3},
    {"exists_one", true, 3},
}};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokens(text)) {}

  Expression whole() {
    Expression parsed = conditional();
    if (next().kind != Token::Kind::kEnd) fail("expected the end");
    return parsed;
  }

 private:
  const Token& next() const { return tokens_[at_]; }
  bool is_sign(std::string_view sign) const {
    return next().kind == Token::Kind::kSign && next().text == sign;
  }
  bool take(std::string_view sign) {
    const bool found = is_sign(sign);
    if (found) ++at_;
    return found;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail("expected " + std::string(sign));
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw ConfigError("CEL: " + why + " at character " + std::to_string(next().at + 1) + ": " +
                      std::string(text_));
  }

  Expression conditional() {
    Expression condition = binary(0);
    if (!take("?")) return condition;
    Expression chosen = binary(0);
    expect(":");
    Expression otherwise = conditional();
    return {Kind::kCall, "?:", {}, {std::move(condition), std::move(chosen), std::move(otherwise)}};
  }

  Expression binary(std::size_t level) {
    if (level == kLevels.size()) return unary();
    Expression left = binary(level + 1);
    while (!next().text.empty() && next().kind != Token::Kind::kText &&
           std::ranges::count(kLevels[level], next().text) > 0) {
      std::string name = next().text;
      ++at_;
      left = {Kind::kCall, std::move(name), {}, {std::move(left), binary(level + 1)}};
    }
    return left;
  }

  Expression unary() {
    if (take("!")) return {Kind::kCall, "!", {}, {unary()}};
    Expression target = primary();
    while (take(".")) {
      std::string name = take_name();
      target = is_sign("(") ? call(name, {std::move(target)})
                            : Expression{Kind::kField, name, {}, {std::move(target)}};
    }
    return target;
  }

  std::string take_name() {
    if (next().kind != Token::Kind::kName) fail("expected a name");
    return tokens_[at_++].text;
  }

  Expression primary() {
    if (take("(")) {
      Expression inner = conditional();
      expect(")");
      return inner;
    }
    if (take("[")) return {Kind::kList, "", {}, items("]")};
    if (next().kind != Token::Kind::kName) return literal();
    const std::string name = take_name();
    if (name == "true" || name == "false") return {Kind::kLiteral, "", name == "true"};
    return is_sign("(") ? call(name, {}) : Expression{Kind::kName, name};
  }

  Expression literal() {
    Expression read;
    switch (next().kind) {
      case Token::Kind::kText: read.value = next().text; break;
      case Token::Kind::kNumber:
        read.value = number<double>("a number that is too large or too small");
        break;
      case Token::Kind::kInteger:
        read.value = number<std::int64_t>("an integer that is too large");
        break;
      default: fail("expected a value");
    }
    ++at_;
    return read;
  }

  /// Returns the next token as a number; `range` says what is wrong with one that does not fit.
  template <class Number>
  Number number(const char* range) const {
    const std::string& text = next().text;
    Number value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
      fail(range);
    }
    return value;
  }

  std::vector<Expression> items(std::string_view end) {
    std::vector<Expression> parts;
    if (take(end)) return parts;
    do parts.push_back(conditional());
    while (take(","));
    expect(end);
    return parts;
  }

  Expression call(const std::string& name, std::vector<Expression> parts) {
    const bool has_target = !parts.empty();
    expect("(");
    for (Expression& argument : items(")")) parts.push_back(std::move(argument));
    const auto known = std::ranges::find(kCallables, name, &Callable::name);
    if (known == kCallables.end() || known->has_target != has_target ||
        known->parts != parts.size()) {
      fail("an unknown call of " + name);
    }
    if (name == "has" && parts[0].kind != Kind::kField) fail("has() asks for a field");
    if (parts.size() == 3 && parts[1].kind != Kind::kName) fail(name + "() begins with a name");
    return {Kind::kCall, name, {}, std::move(parts)};
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

Expression parse(std::string_view text) { return Parser(text).whole(); }

bool mentions(const Expression& expression, std::string_view name) {
  return (expression.kind == Kind::kName && expression.text == name) ||
         std::ranges::any_of(expression.parts,
                             [&](const Expression& part) { return mentions(part, name); });
}

}  // namespace ganscale::controller::cel
