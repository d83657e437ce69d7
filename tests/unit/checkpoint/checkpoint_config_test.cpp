#include "checkpoint/checkpoint_config.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::checkpoint {
namespace {

CheckpointConfig parse(const std::string& yaml) {
  return parse_checkpoint(config::Section(config::parse_yaml(yaml, "run.yaml")));
}

TEST(CheckpointConfig, HasDefaultsForAllKeys) {
  const auto c = parse("{}");
  EXPECT_EQ(c.every_kimg, 200);
  EXPECT_EQ(c.keep_last, 3);
  EXPECT_EQ(c.keep_best, "");
  EXPECT_EQ(c.keep_best_count, 1);
  EXPECT_EQ(c.on_error, OnError::kContinue);
}

TEST(CheckpointConfig, ReadsEveryKey) {
  const auto c = parse(
      "{every_kimg: 0.5, keep_last: 1, keep_best: fid50k, keep_best_count: 4, on_error: stop}");
  EXPECT_EQ(c.every_kimg, 0.5);
  EXPECT_EQ(c.keep_last, 1);
  EXPECT_EQ(c.keep_best, "fid50k");
  EXPECT_EQ(c.keep_best_count, 4);
  EXPECT_EQ(c.on_error, OnError::kStop);
}

TEST(CheckpointConfig, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "every_kimg", [] { parse("every_kimg: -1"); });
  expect_error(ExitCode::kConfig, "keep_last", [] { parse("keep_last: -1"); });
  expect_error(ExitCode::kConfig, "unknown metric: sharpness",
               [] { parse("keep_best: sharpness"); });
  expect_error(ExitCode::kConfig, "keep_best_count: must be at least 1",
               [] { parse("keep_best_count: 0"); });
  expect_error(ExitCode::kConfig, "on_error", [] { parse("on_error: panic"); });
  expect_error(ExitCode::kConfig, "keep_lats", [] { parse("keep_lats: 2"); });
}

}  // namespace
}  // namespace ganscale::checkpoint
