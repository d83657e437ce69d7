#include "definition/rules.h"

#include "definition/cel/evaluate.h"
#include "definition/schema.h"

namespace ganscale::controller {
namespace {

Rule parse_rule(const Json& json) {
  Rule rule;
  rule.text = json.at("rule");
  rule.condition = cel::parse(rule.text);
  rule.message = json.value("message", "");
  if (json.contains("messageExpression")) {
    rule.message_expression = cel::parse(json["messageExpression"].get<std::string>());
  }
  return rule;
}

std::string message(const Rule& rule, const cel::Variables& variables) {
  if (!rule.message_expression) return rule.message;
  return cel::evaluate(*rule.message_expression, variables).get<std::string>();
}

/// Returns the message of a rule that does not hold; an empty text if it does.
std::string fault(const Rule& rule, const Json& value, const Json& old) {
  if (old.is_null() && cel::mentions(rule.condition, "oldSelf")) return "";
  const cel::Variables variables{{"self", value}, {"oldSelf", old}};
  try {
    return cel::evaluate(rule.condition, variables) == true ? "" : message(rule, variables);
  } catch (const cel::EvaluationError& error) {
    return std::string("a rule has no value: ") + error.what() + ": " + rule.text;
  }
}

void add_faults(const RuleTree& tree, const Json& value, const Json& old,
                std::vector<std::string>& faults) {
  for (const Rule& rule : tree.rules) {
    if (std::string broken = fault(rule, value, old); !broken.empty()) {
      faults.push_back(std::move(broken));
    }
  }
  for (const RuleTree& inner : tree.inner) {
    if (inner.field.empty()) {
      for (const Json& item : value) add_faults(inner, item, nullptr, faults);
    } else if (const auto found = value.find(inner.field); found != value.end()) {
      const Json before = old.is_object() ? old.value(inner.field, Json()) : Json();
      add_faults(inner, *found, before, faults);
    }
  }
}

}  // namespace

RuleTree parse_rules(const Json& schema, const std::string& field) {
  RuleTree tree;
  tree.field = field;
  for (const Json& rule : schema.value("x-kubernetes-validations", Json::array())) {
    tree.rules.push_back(parse_rule(rule));
  }
  for_each_inner_schema(schema, [&](const std::string& name, const Json& inner_schema) {
    RuleTree inner = parse_rules(inner_schema, name);
    if (!inner.rules.empty() || !inner.inner.empty()) tree.inner.push_back(std::move(inner));
  });
  return tree;
}

std::vector<std::string> rule_faults(const RuleTree& tree, const Json& value, const Json& old) {
  std::vector<std::string> faults;
  add_faults(tree, value, old, faults);
  return faults;
}

}  // namespace ganscale::controller
