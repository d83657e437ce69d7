#pragma once

#include <optional>
#include <string>
#include <vector>

#include "definition/cel/expression.h"
#include "object/json.h"

namespace ganscale::controller {

/// A rule of `x-kubernetes-validations`.
struct Rule {
  std::string text;
  cel::Expression condition;
  std::string message;
  std::optional<cel::Expression> message_expression;
};

/// The rules of a schema and of the schemas in it.
struct RuleTree {
  std::string field;  ///< that the rules are for; empty: the root, or each item of its parent
  std::vector<Rule> rules;
  std::vector<RuleTree> inner;  ///< only what has rules
};

/// Parses all rules of a schema. Throws ConfigError, with the rule, for one that is more than the
/// part of CEL that cel::parse() knows.
RuleTree parse_rules(const Json& schema, const std::string& field = "");

/// Returns the messages of the rules that a value breaks; the value fits the schema. `old` is the
/// value as it is stored; null if it is not: rules about a change (of oldSelf) hold then.
std::vector<std::string> rule_faults(const RuleTree& tree, const Json& value, const Json& old);

}  // namespace ganscale::controller
