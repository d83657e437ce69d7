// The update rules against one or two steps by hand; whole traces of the public implementations are
// checked by ganscale-parity.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "optim/rules/adabelief.h"
#include "optim/rules/adam.h"
#include "optim/rules/lamb.h"
#include "optim/rules/lars.h"
#include "optim/rules/radam.h"
#include "optim/rules/rmsprop.h"
#include "optim/rules/sgd.h"

namespace ganscale::optim {
namespace {

// Takes steps with the given gradients from the parameter 1 and returns its value after them.
template <class Options>
double after(const Options& options, const std::vector<double>& gradients, double learning_rate) {
  const auto weight = at::ones({1}, at::kDouble).requires_grad_();
  const auto rule = builder_of(options)({{"w", weight}}, /*lazy_factor=*/1);
  for (const double gradient : gradients) {
    weight.mutable_grad() = at::full({1}, gradient, at::kDouble);
    rule->step(learning_rate);
  }
  return weight.item<double>();
}

// With bias correction the first step is the sign of the gradient.
TEST(Adam, FirstStepHasTheLengthOfTheRate) {
  EXPECT_NEAR(after(AdamOptions{}, {3.0}, 0.1), 0.9, 1e-8);
  EXPECT_NEAR(after(AdamOptions{}, {-0.01}, 0.1), 1.1, 1e-6);
}

// m = .5*.5*1 + .5*3 = 1.75, /(1-.25) = 7/3; v = .9*.1*1 + .1*9 = .99, /(1-.81) = 99/19.
TEST(Adam, SecondStepIsTheCorrectedMeanOverTheRoot) {
  const AdamOptions options{.beta1 = 0.5, .beta2 = 0.9, .epsilon = 0};
  EXPECT_NEAR(after(options, {1.0, 3.0}, 0.1), 0.9 - 0.1 * (7.0 / 3.0) / std::sqrt(99.0 / 19.0),
              1e-12);
}

TEST(Adam, DecoupledDecayShrinksTheWeightAlone) {
  const AdamOptions options{.epsilon = 0, .weight_decay = 0.5, .decoupled = true};
  EXPECT_NEAR(after(options, {3.0}, 0.1), 1 - 0.1 * 0.5 - 0.1, 1e-12);
}

// v1 = 2: p = 1 - .1*2 = .8; v2 = .5*2 + 4 = 5: p = .8 - .5 = .3.
TEST(Sgd, AccumulatesVelocity) {
  EXPECT_NEAR(after(SgdOptions{.momentum = 0.5}, {2.0, 4.0}, 0.1), 0.3, 1e-12);
}

// g + .5 v: 2 + 1 = 3, then 4 + 2.5 = 6.5.
TEST(Sgd, NesterovLooksAhead) {
  const SgdOptions options{.momentum = 0.5, .nesterov = true};
  EXPECT_NEAR(after(options, {2.0, 4.0}, 0.1), 1 - 0.3 - 0.65, 1e-12);
}

TEST(Sgd, WithoutMomentumFollowsTheGradient) {
  EXPECT_NEAR(after(SgdOptions{}, {2.0, 4.0}, 0.1), 1 - 0.2 - 0.4, 1e-12);
}

// v1 = .25*4 = 1: p = 1 - .1*2/1; v2 = .75*1 + .25*1 = 1: p -= .1*1/1.
TEST(Rmsprop, DividesByTheRootMeanSquare) {
  const RmspropOptions options{.smoothing = 0.75, .epsilon = 0};
  EXPECT_NEAR(after(options, {2.0, 1.0}, 0.1), 1 - 0.2 - 0.1, 1e-12);
}

// beta2 = 0.999: no rectification in the first five steps; the corrected mean of equal gradients is
// the gradient.
TEST(RAdam, StartsAsPlainDescent) {
  EXPECT_NEAR(after(RAdamOptions{}, {2.0, 2.0, 2.0}, 0.1), 1 - 3 * 0.2, 1e-12);
}

// Takes a step of rate 0.1 with the given gradient and returns the weights after it.
template <class Options>
at::Tensor stepped(const Options& options, const std::vector<double>& weights,
                   const std::vector<double>& gradient) {
  const auto weight = at::tensor(weights, at::kDouble).requires_grad_();
  const auto rule = builder_of(options)({{"w", weight}}, /*lazy_factor=*/1);
  weight.mutable_grad() = at::tensor(gradient, at::kDouble);
  rule->step(0.1);
  return weight.detach();
}

void expect_near(const at::Tensor& actual, const std::vector<double>& expected) {
  EXPECT_TRUE(at::allclose(actual, at::tensor(expected, at::kDouble), 0, 1e-12)) << actual;
}

// The corrected ratio of a first step is the sign: (1, -1) + .5 * (3, 4) = (2.5, 1), of length
// sqrt(7.25); the weights' is 5.
TEST(Lamb, StepsByTheLengthOfTheWeights) {
  const LambOptions options{.epsilon = 0, .weight_decay = 0.5};
  const double trust = 5 / std::sqrt(7.25);
  expect_near(stepped(options, {3, 4}, {7, -2}), {3 - 0.1 * trust * 2.5, 4 - 0.1 * trust * 1});
}

TEST(Lamb, WithoutWeightDecayIsAdam) {
  const LambOptions options{.beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0};
  const AdamOptions adam{.beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-3};
  const std::vector<double> gradients{1.0, 3.0, -2.0};
  EXPECT_NEAR(after(options, gradients, 0.1), after(adam, gradients, 0.1), 1e-12);
}

// Trust ratio .1 * 5 / (2 + .5 * 5) = 1 / 9 of (0, 2) + .5 * (3, 4).
TEST(Lars, ScalesTheGradientByTheNorms) {
  const LarsOptions options{.weight_decay = 0.5, .trust = 0.1, .epsilon = 0};
  expect_near(stepped(options, {3, 4}, {0, 2}), {3 - 0.1 * 1.5 / 9, 4 - 0.1 * 4.0 / 9});
}

// Epsilon: .5 * 1 / (1 + 1 + 2) = 1 / 8, of 1 + 1.
TEST(Lars, AddsEpsilonToTheNorms) {
  const LarsOptions options{.weight_decay = 1, .trust = 0.5, .epsilon = 2};
  EXPECT_NEAR(after(options, {1.0}, 0.1), 1 - 0.1 * 0.25, 1e-12);
}

// Trust ratio 1 / (1 + 1) of 1 + 1: v = 1 and p = .9; then .9 / 1.8 of .9 + .9: v = .5 + .9.
TEST(Lars, AccumulatesScaledGradients) {
  const LarsOptions options{.momentum = 0.5, .weight_decay = 1, .trust = 1, .epsilon = 0};
  EXPECT_NEAR(after(options, {1.0, 0.9}, 0.1), 0.9 - 0.14, 1e-12);
}

TEST(Lars, WithoutWeightDecayIsSgd) {
  const LarsOptions options{.momentum = 0.5, .weight_decay = 0};
  EXPECT_NEAR(after(options, {2.0, 4.0}, 0.1), 0.3, 1e-12);
}

// Biases begin at 0, and R1 reaches no output bias.
TEST(TrustRatio, IsOneIfWeightsOrUpdateAreZero) {
  const LarsOptions lars{.weight_decay = 0.5, .trust = 0.001};
  expect_near(stepped(lars, {0, 0}, {2, 3}), {-0.2, -0.3});
  expect_near(stepped(lars, {2, 4}, {0, 0}), {2 - 0.1, 4 - 0.2});
  const LambOptions lamb{.epsilon = 0, .weight_decay = 0.5};
  expect_near(stepped(lamb, {0, 0}, {2, -3}), {-0.1, 0.1});
}

// m = .5*2 = 1; residual 1; s = .25*1 = .25, root .5, corrected by sqrt(.25) = .5 to 1; m
// corrected 2.
TEST(AdaBelief, DividesByTheSpreadAroundTheMean) {
  const AdaBeliefOptions options{.beta1 = 0.5, .beta2 = 0.75, .epsilon = 0};
  EXPECT_NEAR(after(options, {2.0}, 0.1), 1 - 0.1 * 2 / 1, 1e-12);
}

}  // namespace
}  // namespace ganscale::optim
