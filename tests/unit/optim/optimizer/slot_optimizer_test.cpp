#include "optim/optimizer/slot_optimizer.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <limits>

#include "optim/rules/adam.h"
#include "optim/rules/sgd.h"

namespace ganscale::optim {
namespace {

at::Tensor parameter(at::IntArrayRef shape) {
  return at::ones(shape, at::kDouble).requires_grad_();
}

TEST(SlotOptimizer, LeavesAParameterWithoutGradientAsItIs) {
  const auto used = parameter({2});
  const auto unused = parameter({2});
  Adam adam({{"unused", unused}, {"used", used}}, {});
  used.mutable_grad() = at::ones_like(used);
  adam.step(0.1);
  EXPECT_TRUE(at::equal(unused, at::ones_like(unused)));
  EXPECT_LT(used[0].item<double>(), 1);
  EXPECT_EQ(adam.state().at("unused.step").item<double>(), 0);
  EXPECT_EQ(adam.state().at("used.step").item<double>(), 1);
}

TEST(SlotOptimizer, WithoutAnyGradientDoesNothing) {
  const auto weight = parameter({2});
  Adam adam({{"weight", weight}}, {});
  EXPECT_NO_THROW(adam.step(0.1));
  EXPECT_TRUE(at::equal(weight, at::ones_like(weight)));
}

NamedTensors copies(const NamedTensors& tensors) {
  NamedTensors result;
  for (const auto& [name, tensor] : tensors) result[name] = tensor.clone();
  return result;
}

template <class Options>
void expect_averages_alone_follow(const Options& options) {
  const auto weight = parameter({2});
  const auto rule = builder_of(options)({{"w", weight}}, /*lazy_factor=*/1);
  weight.mutable_grad() = at::full_like(weight, std::numeric_limits<double>::quiet_NaN()).detach();
  const NamedTensors before = copies(rule->state());
  const NamedTensors followers{{"w", at::full({2}, 5.0, at::kDouble)}};
  const Averages averages{&followers, 0.75};
  rule->step(0.1, &averages, at::ones({}));
  rule->step(0.1, nullptr, at::ones({}));
  EXPECT_TRUE(at::equal(weight, at::ones_like(weight)));
  for (const auto& [name, tensor] : rule->state())
    EXPECT_TRUE(tensor.equal(before.at(name))) << name;
  EXPECT_NEAR(followers.at("w")[1].item<double>(), 0.75 * 5 + 0.25 * 1, 1e-12);
  weight.mutable_grad() = at::ones_like(weight).detach();
  rule->step(0.1, nullptr, at::zeros({}));
  EXPECT_NEAR(weight[0].item<double>(), 0.9, 1e-7);
}

TEST(SlotOptimizer, MovesAveragesAloneInAnUpdateToSkip) {
  expect_averages_alone_follow(AdamOptions{});
  expect_averages_alone_follow(SgdOptions{.momentum = 0.5});
}

// The parameter becomes 1 - 0.1 * 1 = 0.9 in the first step of both rules.
template <class Options>
void expect_averages_follow(const Options& options) {
  const auto used = parameter({2});
  const auto unused = parameter({2});
  const auto rule = builder_of(options)({{"unused", unused}, {"used", used}}, /*lazy_factor=*/1);
  used.mutable_grad() = at::ones_like(used);
  const NamedTensors followers{{"unused", at::full({2}, 5.0, at::kDouble)},
                               {"used", at::full({2}, 5.0, at::kDouble)}};
  const Averages averages{&followers, 0.75};
  rule->step(0.1, &averages);
  EXPECT_NEAR(used[0].item<double>(), 0.9, 1e-7);
  EXPECT_NEAR(followers.at("used")[1].item<double>(), 0.75 * 5 + 0.25 * 0.9, 1e-7);
  EXPECT_NEAR(followers.at("unused")[1].item<double>(), 0.75 * 5 + 0.25 * 1, 1e-12);
}

TEST(SlotOptimizer, MovesAveragesTowardTheNewParameters) {
  expect_averages_follow(AdamOptions{});
  expect_averages_follow(SgdOptions{.momentum = 0.5});
}

TEST(SlotOptimizer, HasItsStateBeforeTheFirstStep) {
  Adam adam({{"a.weight", parameter({2, 3})}}, {});
  const auto state = adam.state();
  ASSERT_EQ(state.size(), 3U);
  EXPECT_EQ(state.at("a.weight.exp_avg").sizes(), at::IntArrayRef({2, 3}));
  EXPECT_EQ(state.at("a.weight.exp_avg_sq").abs().sum().item<double>(), 0);
  EXPECT_EQ(state.at("a.weight.step").dim(), 0);
}

TEST(SlotOptimizer, ContinuesFromCopiedState) {
  const auto gradient = [](const at::Tensor& of, int step) {
    of.mutable_grad() = at::arange(6, at::kDouble).view({2, 3}).add(step).sin();
  };
  const auto whole = parameter({2, 3});
  const auto resumed = parameter({2, 3});
  Adam first({{"w", whole}}, {});
  for (int step = 0; step < 3; ++step) gradient(whole, step), first.step(0.1);

  Adam second({{"w", resumed}}, {});
  resumed.data().copy_(whole.data());
  copy_into(second.state(), first.state(), "test");
  gradient(whole, 3), first.step(0.1);
  gradient(resumed, 3), second.step(0.1);
  EXPECT_TRUE(at::equal(whole, resumed));
}

// Fused kernels read memory in order, which another layout of the gradient would scramble.
TEST(SlotOptimizer, TakesAGradientOfAnotherLayout) {
  const auto plain = parameter({2, 3, 2, 2});
  const auto other = parameter({2, 3, 2, 2});
  const auto gradient = at::arange(24, at::kDouble).sub(11.5).view({2, 3, 2, 2});
  plain.mutable_grad() = gradient;
  other.mutable_grad() = gradient.contiguous(at::MemoryFormat::ChannelsLast);
  Adam first({{"w", plain}}, {});
  Adam second({{"w", other}}, {});
  first.step(0.1);
  second.step(0.1);
  EXPECT_TRUE(at::equal(plain, other));
}

}  // namespace
}  // namespace ganscale::optim
