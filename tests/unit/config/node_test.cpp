#include "config/node.h"

#include "config/section.h"
#include "support/expect_error.h"

namespace ganscale::config {
namespace {

TEST(Node, ReadsYamlWithLines) {
  const Node node = parse_yaml("a: 1\nb:\n  c: [x, y]\n", "run.yaml");
  ASSERT_NE(node.map(), nullptr);
  const Node& b = (*node.map())[1].value;
  EXPECT_EQ((*b.map())[0].value.location.text(), "run.yaml:3");
  EXPECT_EQ((*b.map())[0].value.list()->size(), 2U);
}

TEST(Node, RefusesWhatIsNotAMapOfKeys) {
  expect_error(ExitCode::kConfig, "run.yaml:1: expected a map",
               [] { parse_yaml("[1, 2]", "run.yaml"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: not YAML",
               [] { parse_yaml("a: 1\nb: [", "run.yaml"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: duplicate key: a",
               [] { parse_yaml("a: 1\na: 2\n", "run.yaml"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: not YAML: nested too deeply",
               [] { parse_yaml("a: &all [1, *all]", "run.yaml"); });
  expect_error(ExitCode::kConfig, "nowhere.yaml", [] { read_yaml_file("nowhere.yaml"); });
  expect_error(ExitCode::kConfig, "cannot read the configuration file: /tmp",
               [] { read_yaml_file("/tmp"); });
}

TEST(Node, RefusesASecondDocument) {
  expect_error(ExitCode::kConfig, "run.yaml:3: a second document begins here",
               [] { parse_yaml("a: 1\n---\nb: 2\n", "run.yaml"); });
  expect_error(ExitCode::kConfig, "run.yaml:5: a second document",
               [] { parse_yaml("a: 1\n---\n# none\n---\nb: 2\n", "run.yaml"); });
  expect_error(ExitCode::kConfig, "run.yaml:3: not YAML: unexpected character",
               [] { parse_yaml("a: 1\n---\n, b: 2\n", "run.yaml"); });
  for (const char* text : {"a: 1\n---\n", "a: 1\n...\n", "---\na: 1\n---\n# the end\n"})
    EXPECT_EQ(Section(parse_yaml(text, "run.yaml")).get("a", 0, ""), 1) << text;
  EXPECT_TRUE(parse_yaml("", "run.yaml").map()->empty());
}

TEST(Node, OverlayMergesMapsAndReplacesTheRest) {
  Node base = parse_yaml("a: {x: 1, y: [1, 2]}\nb: 3\n", "preset");
  overlay(base, parse_yaml("a: {y: [5]}\nc: 4\n", "file"));
  Section section(base);
  Section a = section.section("a");
  EXPECT_EQ(a.get("x", 0, ""), 1);
  EXPECT_EQ(a.get("y", std::vector<std::int64_t>{}, ""), std::vector<std::int64_t>{5});
  EXPECT_EQ(section.get("b", 0, ""), 3);
  EXPECT_EQ(section.get("c", 0, ""), 4);
}

TEST(Node, AnAssignmentIsANestedMap) {
  Section section(parse_assignment("data.path=/x y"));
  EXPECT_EQ(section.section("data").get("path", "", ""), "/x y");
  expect_error(ExitCode::kUsage, "--set takes key=value", [] { parse_assignment("data.path"); });
  expect_error(ExitCode::kUsage, "empty key", [] { parse_assignment("data..path=1"); });
  expect_error(ExitCode::kUsage, "empty key", [] { parse_assignment("data.=1"); });
}

TEST(Node, NestsAValueUnderADottedKey) {
  Section section(nest("a.b.c", {"5", {"here", 3}}));
  EXPECT_EQ(section.location("a.b").text(), "here:3");
  EXPECT_EQ(section.section("a").section("b").get("c", 0, ""), 5);
}

}  // namespace
}  // namespace ganscale::config
