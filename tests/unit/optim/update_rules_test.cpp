// The update rules against one or two steps by hand; whole traces of the public implementations are
// checked by ganscale-parity.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "optim/adabelief.h"
#include "optim/adam.h"
#include "optim/radam.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"

namespace ganscale::optim {
namespace {

// Takes steps with the given gradients from the parameter 1 and returns its value after them.
template <class Rule, class Options>
double after(const Options& options, const std::vector<double>& gradients, double learning_rate) {
  const auto weight = at::ones({1}, at::kDouble).requires_grad_();
  Rule rule({{"w", weight}}, options);
  for (const double gradient : gradients) {
    weight.mutable_grad() = at::full({1}, gradient, at::kDouble);
    rule.step(learning_rate);
  }
  return weight.item<double>();
}

// With bias correction the first step is the sign of the gradient.
TEST(Adam, FirstStepHasTheLengthOfTheRate) {
  EXPECT_NEAR(after<Adam>(AdamOptions{}, {3.0}, 0.1), 0.9, 1e-8);
  EXPECT_NEAR(after<Adam>(AdamOptions{}, {-0.01}, 0.1), 1.1, 1e-6);
}

// m = .5*.5*1 + .5*3 = 1.75, /(1-.25) = 7/3; v = .9*.1*1 + .1*9 = .99, /(1-.81) = 99/19.
TEST(Adam, SecondStepIsTheCorrectedMeanOverTheRoot) {
  const AdamOptions options{.beta1 = 0.5, .beta2 = 0.9, .epsilon = 0};
  EXPECT_NEAR(after<Adam>(options, {1.0, 3.0}, 0.1),
              0.9 - 0.1 * (7.0 / 3.0) / std::sqrt(99.0 / 19.0), 1e-12);
}

TEST(Adam, DecoupledDecayShrinksTheWeightAlone) {
  const AdamOptions options{.epsilon = 0, .weight_decay = 0.5, .decoupled = true};
  EXPECT_NEAR(after<Adam>(options, {3.0}, 0.1), 1 - 0.1 * 0.5 - 0.1, 1e-12);
}

// v1 = 2: p = 1 - .1*2 = .8; v2 = .5*2 + 4 = 5: p = .8 - .5 = .3.
TEST(Sgd, AccumulatesVelocity) {
  EXPECT_NEAR(after<Sgd>(SgdOptions{.momentum = 0.5}, {2.0, 4.0}, 0.1), 0.3, 1e-12);
}

// g + .5 v: 2 + 1 = 3, then 4 + 2.5 = 6.5.
TEST(Sgd, NesterovLooksAhead) {
  const SgdOptions options{.momentum = 0.5, .nesterov = true};
  EXPECT_NEAR(after<Sgd>(options, {2.0, 4.0}, 0.1), 1 - 0.3 - 0.65, 1e-12);
}

TEST(Sgd, WithoutMomentumFollowsTheGradient) {
  EXPECT_NEAR(after<Sgd>(SgdOptions{}, {2.0, 4.0}, 0.1), 1 - 0.2 - 0.4, 1e-12);
}

// v1 = .25*4 = 1: p = 1 - .1*2/1; v2 = .75*1 + .25*1 = 1: p -= .1*1/1.
TEST(Rmsprop, DividesByTheRootMeanSquare) {
  const RmspropOptions options{.smoothing = 0.75, .epsilon = 0};
  EXPECT_NEAR(after<Rmsprop>(options, {2.0, 1.0}, 0.1), 1 - 0.2 - 0.1, 1e-12);
}

// beta2 = 0.999: no rectification in the first five steps; the corrected mean of equal gradients is
// the gradient.
TEST(RAdam, StartsAsPlainDescent) {
  EXPECT_NEAR(after<RAdam>(RAdamOptions{}, {2.0, 2.0, 2.0}, 0.1), 1 - 3 * 0.2, 1e-12);
}

// m = .5*2 = 1; residual 1; s = .25*1 = .25, root .5, corrected by sqrt(.25) = .5 to 1; m
// corrected 2.
TEST(AdaBelief, DividesByTheSpreadAroundTheMean) {
  const AdaBeliefOptions options{.beta1 = 0.5, .beta2 = 0.75, .epsilon = 0};
  EXPECT_NEAR(after<AdaBelief>(options, {2.0}, 0.1), 1 - 0.1 * 2 / 1, 1e-12);
}

}  // namespace
}  // namespace ganscale::optim
