#include "optim/optimizer_table.h"

#include <array>

#include "optim/network_policy.h"
#include "support/expect_error.h"
#include "unit/optim/following.h"
#include "unit/optim/sign_descent.h"

namespace ganscale::optim {
namespace {

/// The two optimizers of the tests: a file and a line each.
constexpr std::array kKinds = {
    OptimizerKind{"sign", parse_sign},
    OptimizerKind{"following", parse_following},
};

std::unique_ptr<Optimizer> build(const std::string& yaml, const at::Tensor& weight) {
  const auto policy =
      parse_network_policy(config::Section(config::parse_yaml(yaml, "run.yaml")), {}, kKinds);
  return build_optimizer(policy, {{"w", weight}});
}

/// Does `count` steps of rate 0.5 with the gradient 3.
void step(Optimizer& optimizer, const at::Tensor& weight, int count = 1) {
  for (int i = 0; i < count; ++i) {
    weight.mutable_grad() = at::full_like(weight, 3).detach();
    optimizer.step(0.5);
  }
}

TEST(OptimizerTable, TakesAnOptimizerOfAFileAndALine) {
  const auto weight = at::ones({2}, at::kDouble).requires_grad_();
  const auto optimizer = build("{name: sign, scale: 0.25}", weight);
  step(*optimizer, weight);
  EXPECT_DOUBLE_EQ(weight[1].item<double>(), 1 - 0.5 * 0.25);
}

TEST(OptimizerTable, LeavesAnOptimizersKeysToItsFile) {
  const auto weight = at::ones({2});
  expect_error(ExitCode::kConfig, "run.yaml:1: scale: must be positive",
               [&] { build("{name: sign, scale: 0}", weight); });
  expect_error(ExitCode::kConfig, "run.yaml:1: unknown key: betas",
               [&] { build("{name: sign, betas: [0, 0.9]}", weight); });
  expect_error(ExitCode::kConfig, "run.yaml:1: name: expected one of [sign, following]",
               [&] { build("name: adagrad", weight); });
}

// SGD without momentum goes from 1 to -0.5, and in the second step from there on: each time half of
// the way from where it was, 1 to 0.25, then -0.5 to -0.875 (from 0.25 - 1.5 = -1.25).
TEST(OptimizerTable, TakesAnOptimizerThatHoldsAnother) {
  const auto weight = at::ones({2}, at::kDouble).requires_grad_();
  const auto optimizer = build("{name: following, inner: {name: sgd, momentum: 0}}", weight);
  step(*optimizer, weight);
  EXPECT_DOUBLE_EQ(weight[0].item<double>(), 0.25);
  step(*optimizer, weight);
  EXPECT_DOUBLE_EQ(weight[0].item<double>(), -0.875);
}

TEST(OptimizerTable, KeepsTheStateOfAnInnerOptimizerUnderItsParameters) {
  const auto weight = at::ones({2}, at::kDouble).requires_grad_();
  const auto optimizer = build("{name: following, inner: {name: adam}}", weight);
  step(*optimizer, weight, 2);
  const NamedTensors state = optimizer->state();
  EXPECT_EQ(state.size(), 4);
  EXPECT_EQ(state.at("w.step").item<double>(), 2);
  for (const char* name : {"w.exp_avg", "w.exp_avg_sq", "w.inner_weight"}) {
    EXPECT_TRUE(state.contains(name)) << name;
  }
}

TEST(OptimizerTable, NamesTheKeyOfAnInnerOptimizersMistake) {
  expect_error(ExitCode::kConfig, "run.yaml:1: inner.momentum: must be at least 0",
               [] { build("{name: following, inner: {name: sgd, momentum: 1}}", at::ones({2})); });
}

}  // namespace
}  // namespace ganscale::optim
