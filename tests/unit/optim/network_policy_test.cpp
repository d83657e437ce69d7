#include "optim/network_policy.h"

#include <cmath>

#include "optim/rules/adabelief.h"
#include "optim/rules/adam.h"
#include "optim/rules/lamb.h"
#include "optim/rules/lars.h"
#include "optim/rules/radam.h"
#include "optim/rules/rmsprop.h"
#include "optim/rules/sgd.h"
#include "support/expect_error.h"
#include "support/expect_optimizer.h"

namespace ganscale::optim {
namespace {

NetworkPolicy read(const std::string& yaml, const OptimizerDefaults& defaults = {}) {
  return parse_network_policy(config::Section(config::parse_yaml(yaml, "run.yaml")), defaults);
}

/// A policy whose network is also regularized in every fourth step.
NetworkPolicy regularized(const std::string& yaml) {
  NetworkPolicy policy = read(yaml);
  policy.lazy_interval = 4;
  return policy;
}

TEST(NetworkPolicy, DefaultsToThePapersAdam) {
  const auto policy = read("{}");
  EXPECT_EQ(policy.learning_rate, 2e-4);
  EXPECT_EQ(policy.schedule.kind, schedule::ScheduleKind::kConstant);
  EXPECT_EQ(policy.update_interval, 1);
  EXPECT_EQ(policy.lazy_interval, 0);
  EXPECT_EQ(policy.weight_limit, 0);
  expect_optimizer(policy, AdamOptions{.beta1 = 0.5, .beta2 = 0.999, .epsilon = 1e-8});
}

TEST(NetworkPolicy, TakesDefaultsOfItsLoss) {
  const OptimizerDefaults defaults{.learning_rate = 1e-4, .beta1 = 0, .beta2 = 0.9};
  EXPECT_EQ(read("{}", defaults).learning_rate, 1e-4);
  expect_optimizer(read("{}", defaults), AdamOptions{.beta1 = 0, .beta2 = 0.9});
  expect_optimizer(read("name: radam", defaults), RAdamOptions{.beta1 = 0, .beta2 = 0.9});
  EXPECT_EQ(read("learning_rate: 0.3", defaults).learning_rate, 0.3);
}

TEST(NetworkPolicy, BuildsEveryKindByItsDefaults) {
  expect_optimizer(read("name: adamw"), AdamOptions{.beta1 = 0.5, .decoupled = true});
  expect_optimizer(read("name: radam"), RAdamOptions{.beta1 = 0.5});
  expect_optimizer(read("name: adabelief"), AdaBeliefOptions{.beta1 = 0.5, .epsilon = 1e-12});
  expect_optimizer(read("name: sgd"), SgdOptions{.momentum = 0.9});
  expect_optimizer(read("name: rmsprop"), RmspropOptions{.smoothing = 0.99, .epsilon = 1e-8});
  expect_optimizer(
      read("name: lamb"),
      LambOptions{.beta1 = 0.5, .beta2 = 0.999, .epsilon = 1e-6, .weight_decay = 0.01});
  expect_optimizer(
      read("name: lars"),
      LarsOptions{.momentum = 0.9, .weight_decay = 1e-4, .trust = 0.001, .epsilon = 1e-8});
}

TEST(NetworkPolicy, ReadsEveryKeyOfTheNamedRule) {
  const std::string adam = "betas: [0.1, 0.9], epsilon: 0.5, weight_decay: 0.25";
  const AdamOptions options{.beta1 = 0.1, .beta2 = 0.9, .epsilon = 0.5, .weight_decay = 0.25};
  expect_optimizer(read("{" + adam + "}"), options);
  AdamOptions decoupled = options;
  decoupled.decoupled = true;
  expect_optimizer(read("{name: adamw, " + adam + "}"), decoupled);
  expect_optimizer(
      read("{name: adabelief, rectify: true, " + adam + "}"),
      AdaBeliefOptions{
          .beta1 = 0.1, .beta2 = 0.9, .epsilon = 0.5, .weight_decay = 0.25, .rectify = true});
  expect_optimizer(read("{name: radam, betas: [0.1, 0.9], epsilon: 0.5}"),
                   RAdamOptions{.beta1 = 0.1, .beta2 = 0.9, .epsilon = 0.5});
  expect_optimizer(read("{name: sgd, momentum: 0.25, nesterov: true, weight_decay: 0.125}"),
                   SgdOptions{.momentum = 0.25, .nesterov = true, .weight_decay = 0.125});
  expect_optimizer(read("{name: rmsprop, smoothing: 0.5, epsilon: 0.25}"),
                   RmspropOptions{.smoothing = 0.5, .epsilon = 0.25});
  expect_optimizer(read("{name: lamb, " + adam + "}"),
                   LambOptions{.beta1 = 0.1, .beta2 = 0.9, .epsilon = 0.5, .weight_decay = 0.25});
  expect_optimizer(
      read("{name: lars, momentum: 0.25, weight_decay: 0.125, trust: 0.5, epsilon: 0.75}"),
      LarsOptions{.momentum = 0.25, .weight_decay = 0.125, .trust = 0.5, .epsilon = 0.75});
}

// Of two updates by 0.1, each a step of 0.1: back by a quarter of them.
TEST(NetworkPolicy, BuildsLookaheadAroundItsInnerOptimizer) {
  const auto policy =
      read("{name: lookahead, interval: 2, slow_step: 0.75, inner: {name: sgd, momentum: 0}}");
  const auto weight = at::ones({1}, at::kDouble).requires_grad_();
  const auto optimizer = build_optimizer(policy, {{"w", weight}});
  for (int step = 0; step < 2; ++step) {
    weight.mutable_grad() = at::ones({1}, at::kDouble);
    optimizer->step(0.1);
  }
  EXPECT_NEAR(weight.item<double>(), 1 - 0.75 * 0.2, 1e-12);
}

TEST(NetworkPolicy, ReadsClipping) {
  EXPECT_EQ(read("{}").max_gradient_norm, 0);
  EXPECT_EQ(read("clipping: {name: global_norm}").max_gradient_norm, 1);
  EXPECT_EQ(read("clipping: {name: global_norm, max_norm: 0.5}").max_gradient_norm, 0.5);
}

TEST(NetworkPolicy, ReadsRateAndSchedule) {
  const auto policy = read("{learning_rate: 0.004, schedule: {name: linear, final_fraction: 0.5}}");
  EXPECT_DOUBLE_EQ(effective_rate(policy, 0, 1000), 0.004);
  EXPECT_DOUBLE_EQ(effective_rate(policy, 500, 1000), 0.003);
  EXPECT_DOUBLE_EQ(effective_rate(policy, 1000, 1000), 0.002);
}

TEST(NetworkPolicy, MultipliesTheRateThatItReads) {
  const auto policy = read("{learning_rate: 0.004, learning_rate_multiplier: 0.25}");
  EXPECT_DOUBLE_EQ(effective_rate(policy, 0, 1000), 0.001);
  EXPECT_EQ(read("{}").learning_rate_multiplier, 1);
  for (const std::string multiplier : {"0", "-1"}) {
    expect_error(ExitCode::kConfig, "run.yaml:1: learning_rate_multiplier: must be positive",
                 [&] { read("learning_rate_multiplier: " + multiplier); });
  }
}

TEST(NetworkPolicy, RefusesKeysOfAnotherRule) {
  expect_error(ExitCode::kConfig, "run.yaml:2: unknown key: betas",
               [] { read("name: sgd\nbetas: [0, 0.99]\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: unknown key: rectify",
               [] { read("rectify: true"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: unknown key: betas",
               [] { read("name: lars\nbetas: [0, 0.99]\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: unknown key: momentum",
               [] { read("name: lamb\nmomentum: 0.9\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: unknown key: betas",
               [] { read("name: lookahead\nbetas: [0, 0.99]\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: unknown key: inner",
               [] { read("name: adam\ninner: {name: sgd}\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: unknown key: clipping.max_norm",
               [] { read("clipping: {max_norm: 1}"); });
}

TEST(NetworkPolicy, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "run.yaml:1: name: expected one of [adam, adamw, radam",
               [] { read("name: adagrad\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: learning_rate: must be positive",
               [] { read("learning_rate: 0\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: learning_rate: must be positive",
               [] { read("learning_rate: -2e-4\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: betas: expected two numbers",
               [] { read("betas: [0.5]\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: betas: expected two numbers",
               [] { read("betas: [0.5, 1.0]\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: epsilon: must not be negative",
               [] { read("epsilon: -1\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: weight_decay: must not be negative",
               [] { read("weight_decay: -1\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: smoothing: must be at least 0 and below 1",
               [] { read("{name: rmsprop, smoothing: 1}"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: nesterov: needs momentum",
               [] { read("{name: sgd, momentum: 0,\n nesterov: true}\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: trust: must be positive",
               [] { read("{name: lars, trust: 0}"); });
}

TEST(NetworkPolicy, RefusesClippingToNothing) {
  for (const char* max_norm : {"0", "-1"}) {
    expect_error(ExitCode::kConfig, "run.yaml:2: clipping.max_norm: must be positive", [&] {
      read("clipping: {name: global_norm,\n  max_norm: " + std::string(max_norm) + "}");
    });
  }
}

TEST(NetworkPolicy, RefusesImpossibleRoundsOfLookahead) {
  expect_error(ExitCode::kConfig, "run.yaml:1: interval: must be positive",
               [] { read("{name: lookahead, interval: 0}"); });
  for (const char* slow_step : {"0", "1.5"}) {
    expect_error(ExitCode::kConfig, "run.yaml:1: slow_step: must be above 0 and at most 1",
                 [&] { read("{name: lookahead, slow_step: " + std::string(slow_step) + "}"); });
  }
  expect_error(ExitCode::kConfig, "run.yaml:2: inner.name: expected one of [adam, adamw",
               [] { read("name: lookahead\ninner: {name: lookahead}\n"); });
}

// Without a mean the residual is 0, and the step the gradient over the root of epsilon.
TEST(NetworkPolicy, RefusesAdaBeliefWithoutAMean) {
  const OptimizerDefaults wasserstein{.learning_rate = 1e-4, .beta1 = 0, .beta2 = 0.9};
  expect_error(ExitCode::kConfig, "run.yaml:1: betas: adabelief divides by the deviation",
               [&] { read("name: adabelief", wasserstein); });
  expect_error(ExitCode::kConfig, "run.yaml:2: betas: adabelief divides by the deviation",
               [] { read("name: adabelief\nbetas: [0, 0.99]\n"); });
}

// c = 4 / 5: five updates do what four did.
TEST(NetworkPolicy, RescalesRateAndBetasForALazyRegularization) {
  const std::string keys = "learning_rate: 0.0025, betas: [0.5, 0.99]";
  const double beta1 = std::pow(0.5, 0.8);
  const double beta2 = std::pow(0.99, 0.8);
  const auto adam = regularized("{" + keys + "}");
  EXPECT_DOUBLE_EQ(effective_rate(adam, 0, 1000), 0.002);
  expect_optimizer(adam, AdamOptions{.beta1 = beta1, .beta2 = beta2});
  expect_optimizer(regularized("{name: radam, " + keys + "}"),
                   RAdamOptions{.beta1 = beta1, .beta2 = beta2});
  expect_optimizer(regularized("{name: adabelief, " + keys + "}"),
                   AdaBeliefOptions{.beta1 = beta1, .beta2 = beta2, .epsilon = 1e-12});
}

TEST(NetworkPolicy, RescalesTheWholeSchedule) {
  const auto policy =
      regularized("{learning_rate: 0.0025, schedule: {name: cosine, warmup_kimg: 0.1}}");
  EXPECT_DOUBLE_EQ(effective_rate(policy, 50, 1100), 0.001);
  EXPECT_DOUBLE_EQ(effective_rate(policy, 100, 1100), 0.002);
  EXPECT_DOUBLE_EQ(effective_rate(policy, 600, 1100), 0.001);
}

TEST(NetworkPolicy, ScalesTheWholeScheduleByTheBatch) {
  const auto rate = [](const std::string& rule, std::int64_t images_seen) {
    NetworkPolicy policy = regularized(
        "{learning_rate: 0.0025, schedule: {name: linear, warmup_kimg: 0.1}, batch_rule: {name: " +
        rule + "}}");
    policy.batch = 256;
    return effective_rate(policy, images_seen, 1100);
  };
  EXPECT_DOUBLE_EQ(rate("none", 50), 0.001);
  EXPECT_DOUBLE_EQ(rate("linear", 50), 0.004);
  EXPECT_DOUBLE_EQ(rate("linear", 100), 0.008);
  EXPECT_DOUBLE_EQ(rate("linear, base_batch: 128", 600), 0.002);
  EXPECT_DOUBLE_EQ(rate("sqrt", 600), 0.002);
}

// From 0.9 to 0.99 in the middle, then raised to the power 4 / 5.
TEST(NetworkPolicy, MovesBeta2AlongItsSchedule) {
  const std::string keys = "betas: [0, 0.9], beta2_schedule: {name: linear, final: 0.99, kimg: 1}}";
  const auto policy = regularized("{" + keys);
  EXPECT_DOUBLE_EQ(effective_beta2(policy, 500).value(), std::pow(0.945, 0.8));
  EXPECT_EQ(effective_beta2(regularized("{}"), 500), std::nullopt);
  expect_error(ExitCode::kConfig,
               "run.yaml:1: beta2_schedule: only adam and adamw have a beta2 that may change: lamb",
               [&] { read("{name: lamb, " + keys); });
  expect_error(ExitCode::kConfig, "beta2_schedule.final: must be at least 0 and below 1",
               [] { read("{beta2_schedule: {name: linear, final: 1, kimg: 1}}"); });
}

// By hand: v = b v + (1 - b) g^2, corrected by 1 - b^t with today's b, of a gradient of 2.
TEST(NetworkPolicy, CorrectsTheBiasByTheBeta2OfTheStep) {
  const at::Tensor weight = at::zeros({1}, at::kDouble).requires_grad_();
  const auto adam = build_optimizer(read("{betas: [0, 0.5], epsilon: 0}"), {{"w", weight}});
  weight.mutable_grad() = at::full({1}, 2.0, at::kDouble);
  adam->step(0.1);  // v = 2
  const double before = weight.item<double>();
  adam->set_beta2(0.8);
  adam->step(0.1);
  const double v = 0.8 * 2 + 0.2 * 4;
  EXPECT_NEAR(weight.item<double>() - before, -0.1 * 2 / std::sqrt(v / (1 - 0.8 * 0.8)), 1e-12);
}

// The paper's rule is about betas; a momentum is not a beta.
TEST(NetworkPolicy, LeavesRulesWithoutBetasTheirDecay) {
  expect_optimizer(regularized("{name: sgd, momentum: 0.5}"), SgdOptions{.momentum = 0.5});
  expect_optimizer(regularized("{name: rmsprop, smoothing: 0.5}"),
                   RmspropOptions{.smoothing = 0.5});
}

}  // namespace
}  // namespace ganscale::optim
