#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "object/json.h"

namespace ganscale::controller::cel {

/// A parsed expression of the Common Expression Language (https://cel.dev), in which the rules of a
/// CustomResourceDefinition are written.
struct Expression {
  enum class Kind {
    kLiteral,  ///< `value`
    kName,     ///< a variable, `text`
    kField,    ///< the field `text` of parts[0]
    kList,     ///< of its parts
    kCall,     ///< of the operator, function or macro `text`; its parts are operands or target and
               ///< arguments
  };
  Kind kind = Kind::kLiteral;
  std::string text{};
  Json value{};
  std::vector<Expression> parts{};
};

/// Parses an expression of the part of CEL that the operator's definitions use: literals without
/// escapes, lists, fields, `! && || == != <= > in * % ?:`, size, matches, startsWith, and the
/// macros has, all, exists and exists_one.
///
/// Throws ConfigError, with the place, for anything else.
Expression parse(std::string_view text);

/// Whether an expression mentions a variable.
bool mentions(const Expression& expression, std::string_view name);

}  // namespace ganscale::controller::cel
