#include "object/yaml.h"

#include "support/expect_error.h"

namespace ganscale::controller {
namespace {

TEST(Yaml, GivesPlainScalarsTheirTypeAndQuotedOnesNone) {
  const auto documents =
      read_yaml("a: 8\nb: '8'\nc: 2.5e-1\nd: true\ne: \"true\"\nf:\ng: x\n", "t");
  ASSERT_EQ(documents.size(), 1U);
  EXPECT_EQ(documents[0],
            Json::parse(R"({"a":8,"b":"8","c":0.25,"d":true,"e":"true","f":null,"g":"x"})"));
}

TEST(Yaml, ReadsWhatItWrites) {
  const Json value = Json::parse(
      R"({"text":"8","lines":"a\nb\n","list":[1,{"x":[]},"no"],"map":{},"none":null,"flag":false})");
  EXPECT_EQ(read_yaml(to_yaml(value), "t").at(0), value);
}

TEST(Yaml, ReadsEveryDocumentAndNamesTheLineOfAFault) {
  EXPECT_EQ(read_yaml("---\na: 1\n---\n---\nb: 2\n", "t").size(), 2U);
  expect_error(ExitCode::kConfig, "t.yaml:3", [] { read_yaml("a: 1\nb: [1\n", "t.yaml"); });
}

// yaml-cpp itself finds empty documents there forever.
TEST(Yaml, RefusesADocumentThatBeginsWithAComma) {
  expect_error(ExitCode::kConfig, "t.yaml:2: unexpected character",
               [] { read_yaml("  a: 1\n, b\n", "t.yaml"); });
}

TEST(Yaml, RefusesAliasesThatNeverEnd) {
  expect_error(ExitCode::kConfig, "nested too deeply",
               [] { read_yaml("a: &all [1, *all]\n", "t.yaml"); });
  std::string text = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 0; k < 7; ++k) text += ", " + alias;
    text += "]\n";
  }
  expect_error(ExitCode::kConfig, "too many values", [&] { read_yaml(text, "t.yaml"); });
}

}  // namespace
}  // namespace ganscale::controller
