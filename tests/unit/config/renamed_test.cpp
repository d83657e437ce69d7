#include "config/renamed.h"

#include "config/section.h"
#include "support/expect_error.h"

namespace ganscale::config {
namespace {

constexpr const char* kOld =
    "model: {batch_norm: synchronised, narrow_resolutions: 4, narrow_clamp: 256}\n"
    "data: {channels: grey, path: grey}\n";

TEST(Renamed, OldKeyIsRefusedWithTheNewOne) {
  Section root(parse_yaml("model:\n  narrow_clamp: 256\n", "run.yaml"));
  Section model = root.section("model");
  model.get("conv_clamp", 256.0, "");
  expect_error(ExitCode::kConfig,
               "run.yaml:2: unknown key: model.narrow_clamp (renamed to conv_clamp)",
               [&] { model.reject_unread_keys(); });
}

TEST(Renamed, OldValueIsRefusedWithTheNewOne) {
  Section root(parse_yaml("data:\n  channels: grey\n", "run.yaml"));
  Section data = root.section("data");
  expect_error(
      ExitCode::kConfig,
      "run.yaml:2: data.channels: expected one of [keep, gray, rgb]: grey (renamed to gray)",
      [&] { data.get_choice("channels", "keep", {"keep", "gray", "rgb"}, ""); });
}

TEST(Renamed, ConfigurationOfAnOlderVersionIsReadUnderTheNewNames) {
  Section root(with_new_names(parse_yaml(kOld, "run.yaml")));
  Section model = root.section("model");
  EXPECT_EQ(model.get("batch_norm", "", ""), "synchronized");
  EXPECT_EQ(model.get("low_precision_resolutions", 0, ""), 4);
  EXPECT_EQ(model.get("conv_clamp", 0, ""), 256);
  EXPECT_NO_THROW(model.reject_unread_keys());
  Section data = root.section("data");
  EXPECT_EQ(data.get("channels", "", ""), "gray");
  EXPECT_EQ(data.get("path", "", ""), "grey");
}

TEST(Renamed, ConfigurationThatIsNotAMapIsLeftAlone) {
  EXPECT_EQ(*with_new_names(Node{.value = "grey", .location = {}}).scalar(), "grey");
}

}  // namespace
}  // namespace ganscale::config
