#include "definition/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/yaml.h"
#include "support/expect_error.h"

namespace ganscale::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RuleTree tree(const std::string& schema) { return parse_rules(read_yaml(schema, "test").at(0)); }

TEST(Rules, ApplyAtTheirPlaceInTheSchema) {
  const RuleTree rules = tree(
      "properties: {a: {x-kubernetes-validations: [{rule: self > 1, message: a is small}]}, "
      "b: {items: {x-kubernetes-validations: [{rule: self > 1, message: an item is small}]}}}");
  EXPECT_THAT(rule_faults(rules, {{"a", 2}, {"b", {2, 3}}}, nullptr), IsEmpty());
  EXPECT_THAT(rule_faults(rules, {{"a", 1}, {"b", {2, 1}}}, nullptr),
              ElementsAre("a is small", "an item is small"));
  EXPECT_THAT(rule_faults(rules, Json::object(), nullptr), IsEmpty());
}

TEST(Rules, AboutAChangeNeedTheStoredObject) {
  const RuleTree rules = tree(
      "properties: {a: {x-kubernetes-validations: [{rule: self == oldSelf, message: fixed}]}}");
  EXPECT_THAT(rule_faults(rules, {{"a", 2}}, nullptr), IsEmpty());
  EXPECT_THAT(rule_faults(rules, {{"a", 2}}, {{"b", 1}}), IsEmpty()) << "it was not there";
  EXPECT_THAT(rule_faults(rules, {{"a", 2}}, {{"a", 1}}), ElementsAre("fixed"));
}

TEST(Rules, MayComputeTheirMessage) {
  const RuleTree rules = tree(
      "x-kubernetes-validations: [{rule: 'false', messageExpression: \"self.a ? 'one' : 'two'\"}]");
  EXPECT_THAT(rule_faults(rules, {{"a", true}}, nullptr), ElementsAre("one"));
  EXPECT_THAT(rule_faults(rules, {{"a", false}}, nullptr), ElementsAre("two"));
}

TEST(Rules, ThatHaveNoValueAreBroken) {
  const RuleTree rules = tree("x-kubernetes-validations: [{rule: self.a, message: m}]");
  EXPECT_THAT(rule_faults(rules, Json::object(), nullptr),
              ElementsAre(HasSubstr("a rule has no value: no such key: a: self.a")));
}

TEST(Rules, MustBeOfThePartOfCelThatIsKnown) {
  expect_error(ExitCode::kConfig, "an unknown sign",
               [] { tree("properties: {a: {x-kubernetes-validations: [{rule: self.b + 1}]}}"); });
}

}  // namespace
}  // namespace ganscale::controller
