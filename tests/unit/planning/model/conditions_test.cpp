#include "planning/model/conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/node.h"
#include "support/expect_error.h"

namespace ganscale::planning {
namespace {

Conditions parse(const std::string& text) {
  return parse_conditions(config::Section(config::parse_yaml(text, "conditions.yaml")));
}

TEST(Conditions, AreReadAsTheyArePrinted) {
  Conditions conditions;
  conditions.rank_hours_between_failures = 123;
  conditions.pause_seconds = 0;
  const Conditions read = parse(to_yaml(conditions));
  EXPECT_EQ(read.rank_hours_between_failures, 123);
  EXPECT_EQ(read.pause_seconds, 0);
  EXPECT_EQ(read.detect_seconds, Conditions().detect_seconds);
}

TEST(Conditions, AreRefusedIfNothingCanBeSimulated) {
  expect_error(ExitCode::kConfig, "conditions.yaml:1: rank_hours_between_failures: must be above 0",
               [] { parse("rank_hours_between_failures: 0\n"); });
  expect_error(ExitCode::kConfig, "detect_seconds: must not be negative",
               [] { parse("detect_seconds: -1\n"); });
  expect_error(ExitCode::kConfig, "unknown key: failures", [] { parse("failures: 3\n"); });
}

TEST(ReliabilityOf, FailsWithEachRank) {
  const Reliability reliability = reliability_of(
      {.start_seconds = 60, .start_seconds_per_doubling = 5},
      {.rank_hours_between_failures = 50'000, .detect_seconds = 30}, /*gpus=*/1000, /*nodes=*/128);
  EXPECT_NEAR(reliability.seconds_between_failures, 50 * 3600, 1e-6);
  EXPECT_NEAR(reliability.start_seconds, 60 + 7 * 5, 1e-9);
  EXPECT_NEAR(reliability.restart_seconds, 60 + 7 * 5 + 30, 1e-9);
}

}  // namespace
}  // namespace ganscale::planning
