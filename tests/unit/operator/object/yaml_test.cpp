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

}  // namespace
}  // namespace ganscale::controller
