#include "optim/rules/optimizer_table.h"

#include <array>

#include "optim/network_policy.h"
#include "support/expect_error.h"
#include "unit/optim/rules/following.h"
#include "unit/optim/rules/sign_descent.h"

namespace ganscale::optim {
namespace {

/// The two optimizers of the tests: a file and a line each.
constexpr std::array kKinds = {
    OptimizerKind{"sign", parse_sign},
    OptimizerKind{"following", parse_following, /*holds_another=*/true},
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
  const auto refuse = [](const std::string& message, const std::string& inner) {
    expect_error(ExitCode::kConfig, message,
                 [&] { build("name: following\ninner: " + inner, at::ones({2})); });
  };
  refuse("run.yaml:2: inner.momentum: must be at least 0", "{name: sgd, momentum: 1}");
  refuse("run.yaml:2: unknown key: inner.learning_rate", "{name: sgd, learning_rate: 1}");
  refuse("run.yaml:2: unknown key: inner.betas", "{name: sgd, betas: [0.5, 0.999]}");
}

TEST(OptimizerTable, RefusesAnInnerOptimizerWithinAnother) {
  expect_error(ExitCode::kConfig,
               "run.yaml:2: inner.name: expected one of [adam, adamw, radam, adabelief, sgd, "
               "rmsprop, lamb, lars]: lookahead",
               [] { build("name: following\ninner: {name: lookahead}", at::ones({2})); });
}

// Weights that a network has prepared belong to the parameters' version.
TEST(OptimizerTable, EveryOptimizerCountsItsChangesOfParametersAndAverages) {
  for (const OptimizerKind& kind : optimizer_kinds()) {
    SCOPED_TRACE(kind.name);
    const auto yaml = config::parse_yaml("name: " + std::string(kind.name), "run.yaml");
    const auto weight = at::ones({2, 3}, at::kDouble).requires_grad_();
    const NamedTensors average = {{"w", at::ones({2, 3}, at::kDouble)}};
    const Averages averages{&average, 0.5};
    const auto optimizer =
        build_optimizer(parse_network_policy(config::Section(yaml)), {{"w", weight}});
    for (int number = 0; number < 7; ++number) {
      const auto of_weight = weight._version();
      const auto of_average = average.at("w")._version();
      weight.mutable_grad() = at::full_like(weight, 3).detach();
      optimizer->step(0.5, &averages);
      EXPECT_GT(weight._version(), of_weight);
      EXPECT_GT(average.at("w")._version(), of_average);
    }
  }
}

/// Continues from the state after three of seven steps: amid a round of lookahead, whose next ends.
TEST(OptimizerTable, EveryOptimizerResumesFromItsStateBitForBit) {
  const auto step = [](Optimizer& optimizer, int number) {
    for (const auto& [name, weight] : optimizer.parameters()) {
      weight.mutable_grad() = at::arange(6, at::kDouble).view({2, 3}).add(number).sin();
    }
    optimizer.step(0.1);
  };
  for (const OptimizerKind& kind : optimizer_kinds()) {
    SCOPED_TRACE(kind.name);
    const auto yaml = config::parse_yaml("name: " + std::string(kind.name), "run.yaml");
    const NetworkPolicy policy = parse_network_policy(config::Section(yaml));
    const auto whole = at::ones({2, 3}, at::kDouble).requires_grad_();
    const auto resumed = at::zeros({2, 3}, at::kDouble).requires_grad_();
    const auto first = build_optimizer(policy, {{"w", whole}});
    for (int number = 0; number < 3; ++number) step(*first, number);
    const auto second = build_optimizer(policy, {{"w", resumed}});
    resumed.data().copy_(whole.data());
    copy_into(second->state(), first->state(), "test");
    for (int number = 3; number < 7; ++number) {
      step(*first, number);
      step(*second, number);
    }
    EXPECT_TRUE(at::equal(whole, resumed));
    EXPECT_FALSE(at::equal(whole, at::ones_like(whole)));
  }
}

}  // namespace
}  // namespace ganscale::optim
