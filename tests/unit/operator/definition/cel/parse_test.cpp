#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "definition/cel/expression.h"
#include "support/expect_error.h"

namespace ganscale::controller::cel {
namespace {

/// Writes an expression with parentheses around every call.
std::string written(const Expression& e) {
  if (e.kind == Expression::Kind::kLiteral) return e.value.dump();
  if (e.kind == Expression::Kind::kName) return e.text;
  if (e.kind == Expression::Kind::kField) return written(e.parts[0]) + "." + e.text;
  std::string text = "(" + e.text;
  for (const Expression& part : e.parts) text += " " + written(part);
  return text + ")";
}

TEST(Parse, BindsAsCelDoes) {
  EXPECT_EQ(written(parse("!a || b && c == d * 2 % e")), "(|| (! a) (&& b (== c (% (* d 2) e))))");
  EXPECT_EQ(written(parse("a ? b : c ? d : e")), "(?: a b (?: c d e))");
  EXPECT_EQ(written(parse("(a || b) && !(c in ['x', 'y'])")),
            R"((&& (|| a b) (! (in c ( "x" "y")))))");
}

TEST(Parse, ReadsFieldsCallsAndMacros) {
  EXPECT_EQ(written(parse("has(self.a.b) && size(self.c) <= 40")),
            "(&& (has self.a.b) (<= (size self.c) 40))");
  EXPECT_EQ(written(parse("a.b.all(x, x.name.startsWith('y'))")),
            R"((all a.b x (startsWith x.name "y")))");
}

TEST(Parse, ReadsLiterals) {
  EXPECT_EQ(parse("0.5").value, 0.5);
  EXPECT_TRUE(parse("7").value.is_number_integer());
  EXPECT_EQ(parse("\"it's\"").value, "it's");
  EXPECT_EQ(parse("false").value, false);
}

TEST(Parse, RefusesUnknownSyntaxWithItsPosition) {
  expect_error(ExitCode::kConfig, "an unknown sign at character 3: a + b", [] { parse("a + b"); });
  expect_error(ExitCode::kConfig, "an unknown call of map", [] { parse("a.map(x, x)"); });
  expect_error(ExitCode::kConfig, "an unknown call of size", [] { parse("size(a, b)"); });
  expect_error(ExitCode::kConfig, "has() asks for a field", [] { parse("has(a)"); });
  expect_error(ExitCode::kConfig, "all() begins with a name", [] { parse("a.all(b.c, true)"); });
  expect_error(ExitCode::kConfig, "an escape", [] { parse(R"('a\n')"); });
  expect_error(ExitCode::kConfig, "a text without an end", [] { parse("'a"); });
  expect_error(ExitCode::kConfig, "expected the end at character 3", [] { parse("a b"); });
  expect_error(ExitCode::kConfig, "expected )", [] { parse("(a"); });
  expect_error(ExitCode::kConfig, "expected a value", [] { parse(""); });
  expect_error(ExitCode::kConfig, "too large", [] { parse("99999999999999999999"); });
  for (const std::string& number :
       {std::string(310, '9') + ".5", "0." + std::string(400, '0') + "1"}) {
    expect_error(ExitCode::kConfig, "too large or too small at character 6",
                 [&] { parse("a == " + number); });
  }
  expect_error(ExitCode::kConfig, "no number: 1.2.3", [] { parse("1.2.3"); });
}

TEST(Mentions, FindsAVariableAnywhere) {
  EXPECT_TRUE(mentions(parse("a || size(oldSelf.b) <= 1"), "oldSelf"));
  EXPECT_FALSE(mentions(parse("self.oldSelf == 'oldSelf'"), "oldSelf"));
}

}  // namespace
}  // namespace ganscale::controller::cel
