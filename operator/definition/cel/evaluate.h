#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "definition/cel/expression.h"

namespace ganscale::controller::cel {

/// An expression without a value: a missing field, a value of another type, an overflow.
struct EvaluationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Values of variables by name.
using Variables = std::map<std::string, Json, std::less<>>;

/// Returns the value of an expression. `&&`, `||`, all and exists ignore an error of one operand
/// if another one decides, as CEL defines. Throws EvaluationError.
Json evaluate(const Expression& expression, const Variables& variables);

}  // namespace ganscale::controller::cel
