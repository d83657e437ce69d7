#include "definition/cel/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace ganscale::controller::cel {
namespace {

Json value(const std::string& text, const Json& self = nullptr) {
  return evaluate(parse(text), {{"self", self}});
}

void expect_no_value(const std::string& why, const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "expected an error with: " << why;
  } catch (const EvaluationError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(why));
  }
}

TEST(Evaluate, ComparesAndComputes) {
  EXPECT_EQ(value("self.a * 2 % 5 == 1", {{"a", 3}}), true);
  EXPECT_EQ(value("self.a > 2 && self.a <= 3 && self.a != 4", {{"a", 3}}), true);
  EXPECT_EQ(value("self.a == 0.0", {{"a", 0}}), true);
  EXPECT_EQ(value("self.a in ['x', 'y']", {{"a", "y"}}), true);
  EXPECT_EQ(value("self == 'x' ? 1 : 2", "y"), 2);
}

TEST(Evaluate, AsksForFieldsThatMayBeMissing) {
  EXPECT_EQ(value("has(self.a)", {{"a", false}}), true);
  EXPECT_EQ(value("has(self.a)", Json::object()), false);
  expect_no_value("no such key: a", [] { value("self.a", Json::object()); });
  expect_no_value("no such key: a", [] { value("has(self.a.b)", Json::object()); });
}

TEST(Evaluate, ComputesTheFunctions) {
  EXPECT_EQ(value("size(self)", "Fréchet"), 7);
  EXPECT_EQ(value("size(self)", {1, 2, 3}), 3);
  EXPECT_EQ(value("self.matches('^[a-z]+$')", "abc"), true);
  EXPECT_EQ(value("self.matches('^[a-z]+$')", "a1"), false);
  EXPECT_EQ(value("self.matches('b')", "abc"), true) << "anywhere, as RE2";
  EXPECT_EQ(value("self.startsWith('ab')", "abc"), true);
}

TEST(Evaluate, GoesThroughListsAndTheKeysOfMaps) {
  EXPECT_EQ(value("self.all(x, x <= 3)", {1, 2, 3}), true);
  EXPECT_EQ(value("self.all(x, x <= 2)", {1, 2, 3}), false);
  EXPECT_EQ(value("self.exists(x, x == 2)", {1, 2, 3}), true);
  EXPECT_EQ(value("self.exists(x, x == 4)", {1, 2, 3}), false);
  EXPECT_EQ(value("self.exists_one(x, x == 2)", {1, 2, 2}), false);
  EXPECT_EQ(value("self.all(k, k.startsWith('a'))", {{"ab", 1}, {"ac", 2}}), true);
  EXPECT_EQ(value("[2].all(n, self.all(x, x % n == 0))", {2, 4}), true) << "variables are nested";
}

// https://github.com/google/cel-spec/blob/master/doc/langdef.md#logical-operators
TEST(Evaluate, IgnoresAnErrorIfTheOtherOperandDecides) {
  EXPECT_EQ(value("self.a || true", Json::object()), true);
  EXPECT_EQ(value("true || self.a", Json::object()), true);
  EXPECT_EQ(value("self.a && false", Json::object()), false);
  EXPECT_EQ(value("self.exists(x, x.a == 1)", {Json::object(), {{"a", 1}}}), true);
  expect_no_value("no such key: a", [] { value("self.a || false", Json::object()); });
  expect_no_value("no such key: a",
                  [] { value("self.all(x, x.a == 1)", {Json::object(), {{"a", 1}}}); });
}

TEST(Evaluate, RefusesOtherTypesAndOverflow) {
  expect_no_value("expected true or false: 3", [] { value("self && true", 3); });
  expect_no_value("expected an integer: 2.5", [] { value("self % 2 == 0", 2.5); });
  expect_no_value("expected a number", [] { value("self > 2", "x"); });
  expect_no_value("is too large", [] { value("self * 2 == 0", std::int64_t{1} << 62); });
  expect_no_value("division by zero", [] { value("1 % self == 0", 0); });
  expect_no_value("too long to match",
                  [] { value("self.matches('^(a|b)*$')", std::string(5000, 'a')); });
  expect_no_value("no such variable: other", [] { value("other"); });
}

}  // namespace
}  // namespace ganscale::controller::cel
