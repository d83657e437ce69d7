#include "models/layers/batch_norm.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "comm/backends/thread_group.h"
#include "tensors/named_tensors.h"

namespace ganscale::models {
namespace {

// Channel 0 holds 1 3 5 7 (mean 4, variance 5, unbiased 20/3), channel 1 holds 0 0 2 2 (1, 1, 4/3).
at::Tensor two_channels() {
  return at::tensor({1., 3., 0., 0., 5., 7., 2., 2.}, at::kDouble).view({2, 2, 1, 2});
}

std::unique_ptr<BatchNorm> make_norm(const BatchNormOptions& options = {}) {
  auto norm = std::make_unique<BatchNorm>(2, /*epsilon=*/4.0, /*momentum=*/0.1, options);
  norm->to(at::kDouble);
  return norm;
}

TEST(BatchNorm, NormalizesByTheBatchAndEpsilon) {
  const auto y = make_norm()->forward(two_channels());
  // Channel 0: (x - 4) / sqrt(5 + 4); channel 1: (x - 1) / sqrt(1 + 4).
  EXPECT_NEAR(y[0][0][0][0].item<double>(), -1, 1e-12);
  EXPECT_NEAR(y[1][0][0][1].item<double>(), 1, 1e-12);
  EXPECT_NEAR(y[1][1][0][0].item<double>(), 1 / std::sqrt(5), 1e-12);
}

TEST(BatchNorm, MovesTheRunningStatisticsByItsMomentum) {
  const auto norm = make_norm();
  norm->forward(two_channels());
  const auto state = named_buffers(*norm);
  EXPECT_NEAR(state.at("running_mean")[0].item<double>(), 0.4, 1e-12);
  EXPECT_NEAR(state.at("running_var")[0].item<double>(), 0.9 + 0.1 * 20 / 3, 1e-12);
  EXPECT_NEAR(state.at("running_var")[1].item<double>(), 0.9 + 0.1 * 4 / 3, 1e-12);
  EXPECT_EQ(state.at("num_batches_tracked").item<std::int64_t>(), 1);
}

TEST(BatchNorm, UsesTheRunningStatisticsInEvalMode) {
  const auto norm = make_norm();
  norm->eval();
  const auto y = norm->forward(two_channels());
  EXPECT_NEAR(y[1][0][0][1].item<double>(), 7 / std::sqrt(1 + 4), 1e-12);
  EXPECT_EQ(named_buffers(*norm).at("num_batches_tracked").item<std::int64_t>(), 0);
}

TEST(BatchNorm, FrozenLeavesTheRunningStatisticsWhileTraining) {
  const auto norm = make_norm({BatchNormMode::kFrozen, nullptr});
  const auto y = norm->forward(two_channels());
  EXPECT_NEAR(y[1][0][0][1].item<double>(), 7 / std::sqrt(1 + 4), 1e-12);
  EXPECT_EQ(named_buffers(*norm).at("running_mean").abs().sum().item<double>(), 0);
}

// Image 0 has label 1: twice the normalized values, plus one. Image 1 keeps its values.
TEST(BatchNorm, ScalesAndShiftsEachImageByItsLabel) {
  BatchNorm norm(2, /*label_count=*/3, {.epsilon = 4.0});
  norm.to(at::kDouble);
  const at::NoGradGuard no_grad;
  named_parameters(norm).at("weight")[1].fill_(2);
  named_parameters(norm).at("bias")[1].fill_(1);
  const auto y = norm.forward(two_channels(), at::tensor({1, 0}));
  const auto plain = make_norm()->forward(two_channels());
  EXPECT_TRUE(at::allclose(y[0], plain[0].mul(2).add(1)));
  EXPECT_TRUE(at::allclose(y[1], plain[1]));
  EXPECT_NEAR(named_buffers(norm).at("running_mean")[0].item<double>(), 0.4, 1e-12);
}

// Each rank holds one image of the batch; output, statistics and gradient equal those of one
// rank that holds both.
TEST(BatchNorm, SynchronizedEqualsBatchNormOfTheWholeBatch) {
  const auto whole = make_norm();
  const auto x = two_channels().requires_grad_();
  const auto factor = at::arange(8, at::kDouble).add(1).square().view({2, 2, 1, 2});
  const auto y = whole->forward(x);
  const auto gradient = torch::autograd::grad({y.mul(factor).sum()}, {x})[0];

  comm::run_ranks(2, [&](comm::Group& group) {
    const auto norm = make_norm({BatchNormMode::kSynchronized, &group});
    const auto part = two_channels().slice(0, group.rank(), group.rank() + 1).requires_grad_();
    const auto z = norm->forward(part);
    EXPECT_TRUE(at::allclose(z[0], y[group.rank()], 1e-12, 1e-12));
    const auto loss = z.mul(factor.slice(0, group.rank(), group.rank() + 1)).sum();
    const auto part_gradient = torch::autograd::grad({loss}, {part})[0];
    EXPECT_TRUE(at::allclose(part_gradient[0], gradient[group.rank()], 1e-12, 1e-12));
    const auto expected = named_buffers(*whole);
    for (const auto& [name, buffer] : named_buffers(*norm)) {
      EXPECT_TRUE(at::allclose(buffer, expected.at(name), 1e-12, 1e-12)) << name;
    }
  });
}

// 100 and 100.5 are exact in bf16, their sum over 256 places is not: rounded to bf16, the mean
// alone would be off by as much as the values lie apart.
TEST(BatchNorm, SynchronizedComputesMomentsOfLowPrecisionInFloat32) {
  const auto values = at::tensor({100.0F, 100.5F}).repeat({1, 1, 4, 32}).to(at::kBFloat16);
  comm::run_ranks(2, [&](comm::Group& group) {
    BatchNorm norm(1, /*epsilon=*/0, /*momentum=*/1, {BatchNormMode::kSynchronized, &group});
    const auto y = norm.forward(values);
    EXPECT_EQ(y.scalar_type(), at::kBFloat16);
    EXPECT_EQ(y.flatten()[0].item<float>(), -1);
    EXPECT_EQ(y.flatten()[1].item<float>(), 1);
    EXPECT_EQ(named_buffers(norm).at("running_mean").item<float>(), 100.25F);
  });
}

TEST(BatchNorm, KeepsChannelsLast) {
  const auto x = at::ones({2, 2, 3, 3}, at::kDouble).contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_TRUE(make_norm()->forward(x).is_contiguous(at::MemoryFormat::ChannelsLast));
}

}  // namespace
}  // namespace ganscale::models
