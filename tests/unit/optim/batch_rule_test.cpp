#include "optim/batch_rule.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::optim {
namespace {

TEST(BatchFactor, IsTheRatioOfTheBatchesOrItsRoot) {
  EXPECT_EQ(batch_factor({.kind = BatchRuleKind::kLinear, .base_batch = 64}, 256), 4);
  EXPECT_EQ(batch_factor({.kind = BatchRuleKind::kSqrt, .base_batch = 64}, 256), 2);
  EXPECT_EQ(batch_factor({.kind = BatchRuleKind::kLinear, .base_batch = 64}, 16), 0.25);
  EXPECT_EQ(batch_factor({.kind = BatchRuleKind::kNone, .base_batch = 64}, 256), 1);
}

TEST(BatchFactor, NeedsABatch) {
  expect_error(ExitCode::kBug, "a batch rule needs the batch of the run",
               [] { batch_factor({.kind = BatchRuleKind::kLinear}, 0); });
}

TEST(ParseBatchRule, ReadsOnlyTheKeysOfItsKind) {
  const auto read = [](const std::string& yaml) {
    return parse_batch_rule(config::Section(config::parse_yaml(yaml, "run.yaml")));
  };
  EXPECT_EQ(read("{}").kind, BatchRuleKind::kNone);
  EXPECT_EQ(read("{name: sqrt, base_batch: 32}").base_batch, 32);
  expect_error(ExitCode::kConfig, "run.yaml:1: unknown key: base_batch",
               [&] { read("base_batch: 32"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: base_batch: must be positive",
               [&] { read("name: linear\nbase_batch: 0\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: name: expected one of [none, linear, sqrt]",
               [&] { read("name: cubic"); });
}

}  // namespace
}  // namespace ganscale::optim
