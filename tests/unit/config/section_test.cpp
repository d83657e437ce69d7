#include "config/section.h"

#include "support/expect_error.h"

namespace ganscale::config {
namespace {

Section read(const std::string& yaml) { return Section(parse_yaml(yaml, "run.yaml")); }

TEST(Section, GivesTheValueOrTheDefault) {
  Section in =
      read("batch: 64\nrate: 2e-4\nmirror: true\nname: faces\nbetas: [0, 0.99]\nlimit: 4GiB\n");
  EXPECT_EQ(in.get("batch", 32, ""), 64);
  EXPECT_EQ(in.get("rate", 1.0, ""), 2e-4);
  EXPECT_TRUE(in.get("mirror", false, ""));
  EXPECT_EQ(in.get("name", "", ""), "faces");
  EXPECT_EQ(in.get("betas", std::vector<double>{}, ""), (std::vector<double>{0, 0.99}));
  EXPECT_EQ(in.get_bytes("limit", 0, ""), std::int64_t{4} << 30);
  EXPECT_EQ(in.get_seconds("timeout", 600, ""), 600);
  EXPECT_NO_THROW(in.reject_unread_keys());
}

TEST(Section, ReadsBooleansAsYamlSpellsThem) {
  for (const std::string text : {"true", "True", "TRUE", "yes", "Yes", "on", "ON"})
    EXPECT_TRUE(read("mirror: " + text).get("mirror", false, "")) << text;
  for (const std::string text : {"false", "False", "FALSE", "no", "No", "off", "OFF"})
    EXPECT_FALSE(read("mirror: " + text).get("mirror", true, "")) << text;
  for (const std::string text : {"tRUE", "y", "1", "null"})
    expect_error(ExitCode::kConfig, "mirror: expected true or false",
                 [&] { read("mirror: " + text).get("mirror", false, ""); });
}

TEST(Section, NamesFileLineKeyAndTheNearestKnownKey) {
  Section in = read("data:\n  prefech_batches: 4\n");
  Section data = in.section("data");
  data.get("prefetch_batches", 2, "");
  expect_error(ExitCode::kConfig,
               "run.yaml:2: unknown key: data.prefech_batches (did you mean prefetch_batches?)",
               [&] { data.reject_unread_keys(); });
}

TEST(Section, RefusesTheWrongType) {
  Section in = read("batch: many\npath: [a]\nmirror: 2\nscheme: sync\nlist: 3\nmodel: 4\n");
  expect_error(ExitCode::kConfig, "run.yaml:1: batch: expected an integer: many",
               [&] { in.get("batch", 1, ""); });
  expect_error(ExitCode::kConfig, "run.yaml:2: path: expected a string",
               [&] { in.get("path", "", ""); });
  expect_error(ExitCode::kConfig, "run.yaml:3: mirror: expected true or false: 2",
               [&] { in.get("mirror", false, ""); });
  expect_error(ExitCode::kConfig,
               "run.yaml:4: scheme: expected one of [synchronous, per_label]: sync",
               [&] { in.get_choice("scheme", "synchronous", {"synchronous", "per_label"}, ""); });
  expect_error(ExitCode::kConfig, "run.yaml:5: list: expected a list",
               [&] { in.get("list", std::vector<double>{}, ""); });
  expect_error(ExitCode::kConfig, "run.yaml:6: model: expected a map",
               [&] { in.section("model"); });
}

TEST(Section, SaysHowToWriteAnEmptyValue) {
  Section in(parse_assignment("evaluate.metrics=none"));
  expect_error(ExitCode::kConfig,
               "evaluate.metrics: expected a list such as [a, b]; [] is an empty",
               [&] { in.section("evaluate").get("metrics", std::vector<std::string>{}, ""); });
  Section blank(parse_assignment("data.path="));
  expect_error(
      ExitCode::kConfig,
      "data.path: expected a string; an empty one is \"\", in a shell --set 'data.path=\"\"'",
      [&] { blank.section("data").get("path", "", ""); });
  Section filled(parse_assignment("data.path=\"\""));
  EXPECT_EQ(filled.section("data").get("path", "faces", ""), "");
}

enum class Speed { kSlow, kFast };
constexpr EnumNames<Speed, 2> kSpeeds{{{Speed::kSlow, "slow"}, {Speed::kFast, "fast"}}};

TEST(Section, ReadsTheValuesOfAnEnumerationByTheirNames) {
  Section in = read("speed: fast\nother: quick\n");
  EXPECT_EQ(in.get_choice("speed", Speed::kSlow, kSpeeds, ""), Speed::kFast);
  EXPECT_EQ(in.get_choice("absent", Speed::kSlow, kSpeeds, ""), Speed::kSlow);
  expect_error(ExitCode::kConfig, "run.yaml:2: other: expected one of [slow, fast]: quick",
               [&] { in.get_choice("other", Speed::kSlow, kSpeeds, ""); });
}

TEST(Section, ReadsResolutions) {
  Section in = read("square: 64\nwide: [64, 128]\nboth: [32, 32]\nbad: [64]\nnone: [0, 8]\n");
  EXPECT_EQ(in.get_resolution("square", 32, ""), Resolution(64));
  EXPECT_EQ(in.get_resolution("wide", 32, ""), Resolution(64, 128));
  EXPECT_EQ(in.get_resolution("both", 16, ""), Resolution(32));
  EXPECT_EQ(in.get_resolution("absent", {16, 8}, ""), Resolution(16, 8));
  EXPECT_EQ(to_yaml(in.entries(), false),
            "square: 64\nwide: [64, 128]\nboth: 32\nabsent: [16, 8]\n");
  const std::string expected = "expected a number of pixels, or [height, width]";
  expect_error(ExitCode::kConfig, "run.yaml:4: bad: " + expected,
               [&] { in.get_resolution("bad", 32, ""); });
  expect_error(ExitCode::kConfig, "run.yaml:5: none: " + expected + ": 0",
               [&] { in.get_resolution("none", 32, ""); });
}

TEST(Section, ReadsListsOfMaps) {
  Section in = read("points:\n  - {gpus: 1}\n  - {gpu: 2}\nbroken: [3]\nscalar: 4\n");
  std::vector<Section> points = in.sections("points");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].get("gpus", 0, ""), 1);
  points[1].get("gpus", 0, "");
  expect_error(ExitCode::kConfig, "run.yaml:3: unknown key: points[1].gpu (did you mean gpus?)",
               [&] { points[1].reject_unread_keys(); });
  EXPECT_TRUE(in.sections("absent").empty());
  expect_error(ExitCode::kConfig, "run.yaml:4: broken[0]: expected a map of keys",
               [&] { in.sections("broken"); });
  expect_error(ExitCode::kConfig, "run.yaml:5: scalar: expected a list of maps",
               [&] { in.sections("scalar"); });
}

TEST(Section, FailsAtTheLineOfAnImpossibleValue) {
  Section in = read("a: 1\nbatch: 7\n");
  in.get("batch", 1, "");
  expect_error(ExitCode::kConfig, "run.yaml:2: batch: not divisible",
               [&] { in.fail("batch", "not divisible"); });
}

TEST(Section, RequiresANumberWithinBounds) {
  const Section in = read("rate: 1\n");
  EXPECT_NO_THROW(in.require(1, between(1, 1), "rate", "must be 1"));
  EXPECT_NO_THROW(in.require(0.5, {.lowest = 0, .highest = 1, .excludes_highest = true}, "rate",
                             "must be in [0, 1)"));
  expect_error(ExitCode::kConfig, "run.yaml:1: rate: must be above 1",
               [&] { in.require(1, above(1), "rate", "must be above 1"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: rate: must be at least 2",
               [&] { in.require(1, at_least(2), "rate", "must be at least 2"); });
}

TEST(Section, FailsAtTheNearestLineOfADottedKey) {
  const Section in = read("training:\n  seed: 3\n  precision: fp16\nmodel: dcgan\n");
  expect_error(ExitCode::kConfig, "run.yaml:3: training.precision: of another model",
               [&] { in.fail("training.precision", "of another model"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: training.batch: not divisible",  // the map's line
               [&] { in.fail("training.batch", "not divisible"); });
  expect_error(ExitCode::kConfig, "run.yaml:4: model.name: no name",
               [&] { in.fail("model.name", "no name"); });
}

TEST(Section, WritesTheResolvedConfigurationThatReadsBack) {
  Section in = read("data: {path: 'a: b'}\n");
  Section data = in.section("data");
  data.get("path", "", "where the images are");
  data.section("prefetch").get("depth", 4, "");
  data.get("mirror", true, "");
  in.section("run").get("rate", 0.1, "");
  const std::string yaml = to_yaml(in.entries(), true);
  EXPECT_EQ(yaml,
            "data:\n"
            "  path: \"a: b\"  # where the images are\n"
            "  prefetch:\n"
            "    depth: 4\n"
            "  mirror: true\n"
            "run:\n"
            "  rate: 0.1\n");
  EXPECT_EQ(read(yaml).section("data").get("path", "", ""), "a: b");
}

TEST(Section, WritesTheChoicesOfAKey) {
  Section in = read("{}\n");
  in.get_choice("device", "auto", {"auto", "cpu"}, "where to compute");
  in.get_choice("scheme", "only", {"only"}, "how");
  EXPECT_EQ(to_yaml(in.entries(), true),
            "device: auto  # [auto, cpu] where to compute\n"
            "scheme: only  # how\n");
}

}  // namespace
}  // namespace ganscale::config
