#include "definition/cel/evaluate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "object/characters.h"

namespace ganscale::controller::cel {
namespace {

using Kind = Expression::Kind;
using Parts = std::vector<Expression>;
using Values = std::vector<Json>;

bool truth(const Json& value) {
  if (!value.is_boolean()) throw EvaluationError("expected true or false: " + shown(value));
  return value.get<bool>();
}

std::int64_t whole(const Json& value) {
  if (!value.is_number_integer()) throw EvaluationError("expected an integer: " + shown(value));
  return value.get<std::int64_t>();
}

const std::string& text(const Json& value) {
  if (!value.is_string()) throw EvaluationError("expected a text: " + shown(value));
  return value.get_ref<const std::string&>();
}

const Json& require(const Json& value, bool ok, const char* expected) {
  if (!ok) throw EvaluationError(std::string("expected ") + expected + ": " + shown(value));
  return value;
}

/// What a macro goes through: the items of a list, the keys of a map.
Values range(const Json& value) {
  Values items;
  require(value, value.is_structured(), "a list or a map");
  for (const auto& item : value.items()) {
    items.push_back(value.is_array() ? item.value() : Json(item.key()));
  }
  return items;
}

/// Combines truths as CEL does: the first that equals `deciding` decides, even after an error.
class Decider {
 public:
  explicit Decider(bool deciding) : deciding_(deciding) {}

  /// Returns whether the value of an expression decides.
  bool decides(const Expression& part, const Variables& variables) {
    try {
      return truth(evaluate(part, variables)) == deciding_;
    } catch (const EvaluationError& error) {
      if (!error_) error_ = error;
      return false;
    }
  }
  /// Returns the result if nothing has decided. Throws the first error.
  bool undecided() const {
    if (error_) throw EvaluationError(*error_);
    return !deciding_;
  }

 private:
  bool deciding_;
  std::optional<EvaluationError> error_;
};

Json any_part(const Parts& parts, const Variables& variables, bool deciding) {
  Decider decider(deciding);
  for (const Expression& part : parts) {
    if (decider.decides(part, variables)) return deciding;
  }
  return decider.undecided();
}

Json any_item(const Parts& parts, Variables variables, bool deciding) {
  Decider decider(deciding);
  for (Json& item : range(evaluate(parts[0], variables))) {
    variables[parts[1].text] = std::move(item);
    if (decider.decides(parts[2], variables)) return deciding;
  }
  return decider.undecided();
}

Json has_one(const Parts& parts, Variables variables) {
  int count = 0;
  for (Json& item : range(evaluate(parts[0], variables))) {
    variables[parts[1].text] = std::move(item);
    if (truth(evaluate(parts[2], variables))) ++count;
  }
  return count == 1;
}

Json has_field(const Parts& parts, const Variables& variables) {
  const Json object = evaluate(parts[0].parts[0], variables);
  return require(object, object.is_object(), "an object").contains(parts[0].text);
}

/// What decides itself which of its parts have a value.
struct Macro {
  std::string_view name;
  Json (*value)(const Parts& parts, const Variables& variables);
};

constexpr std::array<Macro, 7> kMacros{{
    {"&&", [](const Parts& p, const Variables& v) { return any_part(p, v, false); }},
    {"||", [](const Parts& p, const Variables& v) { return any_part(p, v, true); }},
    {"?:", [](const Parts& p,
              const Variables& v) { return evaluate(truth(evaluate(p[0], v)) ? p[1] : p[2], v); }},
    {"has", has_field},
    {"all", [](const Parts& p, const Variables& v) { return any_item(p, v, false); }},
    {"exists", [](const Parts& p, const Variables& v) { return any_item(p, v, true); }},
    {"exists_one", [](const Parts& p, const Variables& v) { return has_one(p, v); }},
}};

Json product(const Values& v) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(whole(v[0]), whole(v[1]), &result)) {
    throw EvaluationError("the product of " + shown(v[0]) + " and " + shown(v[1]) +
                          " is too large");
  }
  return result;
}

Json remainder(const Values& v) {
  const std::int64_t divisor = whole(v[1]);
  if (divisor == 0) throw EvaluationError("a remainder of a division by zero");
  return divisor == -1 ? 0 : whole(v[0]) % divisor;
}

double number(const Json& value) {
  return require(value, value.is_number(), "a number").get<double>();
}

Json size(const Values& v) {
  if (v[0].is_string()) return character_count(text(v[0]));
  return require(v[0], v[0].is_structured(), "a text, a list or a map").size();
}

Json matches(const Values& v) {
  constexpr std::size_t kLongestBytes = 4096;  // std::regex recurses with the text
  if (text(v[0]).size() > kLongestBytes) throw EvaluationError("a text that is too long to match");
  return std::regex_search(text(v[0]), std::regex(text(v[1])));
}

/// What needs the values of all its parts.
struct Function {
  std::string_view name;
  Json (*value)(const Values& values);
};

constexpr std::array<Function, 11> kFunctions{{
    {"!", [](const Values& v) { return Json(!truth(v[0])); }},
    {"==", [](const Values& v) { return Json(v[0] == v[1]); }},
    {"!=", [](const Values& v) { return Json(v[0] != v[1]); }},
    {"<=", [](const Values& v) { return Json(number(v[0]) <= number(v[1])); }},
    {">", [](const Values& v) { return Json(number(v[0]) > number(v[1])); }},
    {"in",
     [](const Values& v) {
       return Json(std::ranges::count(require(v[1], v[1].is_array(), "a list"), v[0]) > 0);
     }},
    {"*", product},
    {"%", remainder},
    {"size", size},
    {"matches", matches},
    {"startsWith", [](const Values& v) { return Json(text(v[0]).starts_with(text(v[1]))); }},
}};

Values values(const Parts& parts, const Variables& variables) {
  Values all;
  for (const Expression& part : parts) all.push_back(evaluate(part, variables));
  return all;
}

Json call(const Expression& expression, const Variables& variables) {
  const auto macro = std::ranges::find(kMacros, expression.text, &Macro::name);
  if (macro != kMacros.end()) return macro->value(expression.parts, variables);
  const auto function = std::ranges::find(kFunctions, expression.text, &Function::name);
  return function->value(values(expression.parts, variables));
}

Json field(const Expression& expression, const Variables& variables) {
  const Json object = evaluate(expression.parts[0], variables);
  const auto found = require(object, object.is_object(), "an object").find(expression.text);
  if (found == object.end()) throw EvaluationError("no such key: " + expression.text);
  return *found;
}

Json variable(const Expression& expression, const Variables& variables) {
  const auto found = variables.find(expression.text);
  if (found == variables.end()) throw EvaluationError("no such variable: " + expression.text);
  return found->second;
}

}  // namespace

Json evaluate(const Expression& expression, const Variables& variables) {
  switch (expression.kind) {
    case Kind::kName: return variable(expression, variables);
    case Kind::kField: return field(expression, variables);
    case Kind::kList: return values(expression.parts, variables);
    case Kind::kCall: return call(expression, variables);
    default: return expression.value;
  }
}

}  // namespace ganscale::controller::cel
