#include "optim/rules/lookahead.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "optim/rules/adam.h"
#include "optim/rules/sgd.h"

namespace ganscale::optim {
namespace {

at::Tensor one() { return at::ones({2}, at::kDouble).requires_grad_(); }

/// Lookahead around SGD, whose gradient is always 1 and whose rate is 0.1.
struct Ahead {
  explicit Ahead(const LookaheadOptions& options, double momentum = 0)
      : lookahead(builder_of(SgdOptions{.momentum = momentum})({{"w", weight}}, /*lazy_factor=*/1),
                  options) {}

  /// Returns the weight after the next update.
  double step(const Averages* averages = nullptr) {
    weight.mutable_grad() = at::ones_like(weight).detach();
    lookahead.step(0.1, averages);
    return weight[1].item<double>();
  }

  at::Tensor weight = one();
  Lookahead lookahead;
};

// 1 - .3 = .7, of which the slow weight takes half: .85. Then .55, and .7.
TEST(Lookahead, GoesBackAfterEachRound) {
  Ahead ahead({.interval = 3, .slow_step = 0.5});
  for (const double weight : {0.9, 0.8, 0.85, 0.75, 0.65, 0.7}) {
    EXPECT_NEAR(ahead.step(), weight, 1e-12);
  }
}

// v = 1, 1.5: .75, back to .875; v = 1.75, 1.875: .5125, back to .69375.
TEST(Lookahead, LeavesTheInnerOptimizerItsState) {
  Ahead ahead({.interval = 2, .slow_step = 0.5}, /*momentum=*/0.5);
  for (const double weight : {0.9, 0.875, 0.7, 0.69375}) EXPECT_NEAR(ahead.step(), weight, 1e-12);
}

TEST(Lookahead, WithAWholeStepIsTheInnerOptimizer) {
  const auto ours = one();
  const auto expected = one();
  Lookahead lookahead(std::make_unique<Adam>(NamedTensors{{"w", ours}}, AdamOptions{}),
                      {.interval = 2, .slow_step = 1});
  Adam adam({{"w", expected}}, {});
  for (int step = 0; step < 5; ++step) {
    for (const auto& weight : {ours, expected}) {
      weight.mutable_grad() = at::arange(2, at::kDouble).add(step).sin();
    }
    lookahead.step(0.1);
    adam.step(0.1);
    EXPECT_TRUE(at::equal(ours, expected)) << step;
  }
}

// A run may begin with the weights of another one.
TEST(Lookahead, BeginsWhereTheWeightsAreAtItsFirstUpdate) {
  Ahead ahead({.interval = 2, .slow_step = 0.5});
  ahead.weight.data().fill_(3);
  ahead.step();
  EXPECT_NEAR(ahead.step(), 3 - 0.1, 1e-12);
}

// .9, then .8 and back to .9.
TEST(Lookahead, MovesAveragesTowardTheWeightsThatItLeaves) {
  Ahead ahead({.interval = 2, .slow_step = 0.5});
  const NamedTensors followers{{"w", at::full({2}, 5.0, at::kDouble)}};
  const Averages averages{&followers, 0.75};
  ahead.step(&averages);
  const double after_one = 0.75 * 5 + 0.25 * 0.9;
  EXPECT_NEAR(followers.at("w")[0].item<double>(), after_one, 1e-12);
  ahead.step(&averages);
  EXPECT_NEAR(followers.at("w")[0].item<double>(), 0.75 * after_one + 0.25 * 0.9, 1e-12);
}

TEST(Lookahead, NamesItsStateSeparatelyFromTheInnerOptimizers) {
  Ahead ahead({.interval = 3, .slow_step = 0.5}, /*momentum=*/0.5);
  ahead.step();
  ahead.step();
  const NamedTensors state = ahead.lookahead.state();
  EXPECT_EQ(state.size(), 4);
  EXPECT_EQ(state.at("w.step").item<double>(), 2);
  EXPECT_EQ(state.at("w.momentum_buffer")[0].item<double>(), 1.5);
  EXPECT_EQ(state.at("w.slow_weight")[0].item<double>(), 1);
  EXPECT_EQ(state.at("lookahead.updates").item<std::int64_t>(), 2);
  ahead.step();
  EXPECT_EQ(state.at("lookahead.updates").item<std::int64_t>(), 0);
}

}  // namespace
}  // namespace ganscale::optim
