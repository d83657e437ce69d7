#pragma once

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "optim/network_policy.h"

namespace ganscale::optim {

/// Expects that the optimizer of the policy is the rule of these options: after three steps,
/// weights and state are the same to the bit.
template <class Options>
void expect_optimizer(const NetworkPolicy& policy, const Options& options) {
  const at::Tensor ours = at::ones({4}, at::kDouble).requires_grad_();
  const at::Tensor expected = at::ones({4}, at::kDouble).requires_grad_();
  const auto built = build_optimizer(policy, {{"w", ours}});
  const auto rule = builder_of(options)({{"w", expected}}, /*lazy_factor=*/1);
  for (int step = 0; step < 3; ++step) {
    const at::Tensor gradient = at::arange(4, at::kDouble).sub(1.5).add(step).sin();
    ours.mutable_grad() = gradient;
    expected.mutable_grad() = gradient;
    built->step(0.1);
    rule->step(0.1);
  }
  EXPECT_TRUE(at::equal(ours, expected)) << ours << expected;
  const NamedTensors state = built->state();
  const NamedTensors expected_state = rule->state();
  ASSERT_EQ(state.size(), expected_state.size());
  for (const auto& [name, value] : expected_state) {
    ASSERT_TRUE(state.contains(name)) << name;
    EXPECT_TRUE(at::equal(state.at(name), value)) << name;
  }
}

}  // namespace ganscale::optim
