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

TEST(Yaml, ReadsTheBooleansAndNullsThatTheWorkerReads) {
  for (const char* text : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})
    EXPECT_EQ(read_yaml(std::string("[") + text + "]", "t").at(0), Json::array({true})) << text;
  for (const char* text : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})
    EXPECT_EQ(read_yaml(std::string("[") + text + "]", "t").at(0), Json::array({false})) << text;
  for (const char* text : {"~", "null", "Null", "NULL"})
    EXPECT_EQ(read_yaml(std::string("[") + text + "]", "t").at(0), Json::array({nullptr})) << text;
  EXPECT_EQ(read_yaml("[yEs, 'on', \"no\", offline]", "t").at(0),
            Json::array({"yEs", "on", "no", "offline"}));
  EXPECT_EQ(read_yaml("on: y\nn: 8\n", "t").at(0), Json({{"on", "y"}, {"n", 8}}));
}

TEST(Yaml, ReadsWhatItWrites) {
  const Json value = Json::parse(
      R"({"text":"8","lines":"a\nb\n","list":[1,{"x":[]},"no"],"map":{},"none":null,"flag":false})");
  EXPECT_EQ(read_yaml(to_yaml(value), "t").at(0), value);
}

// Unquoted, kubectl and Helm would take them for other values, also as keys.
TEST(Yaml, QuotesTextsThatLookLikeAnotherValue) {
  for (const char* text :
       {"on", "NO", "y", "TRUE", "NULL", "8", "0x20B0", "1_000", "+5", ".5", "1.32"}) {
    const Json value = {{text, text}};
    const std::string quoted = '"' + std::string(text) + '"';
    EXPECT_EQ(to_yaml(value), quoted + ": " + quoted + "\n");
    EXPECT_EQ(read_yaml(to_yaml(value), "t").at(0), value);
  }
  EXPECT_EQ(to_yaml({{"a", "face"}, {"b", "0.0.0.0"}}), "a: face\nb: 0.0.0.0\n");
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
