#include "kernels/scaled_copies/scaled_copies.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ganscale::kernels {
namespace {

at::Tensor random_weight(at::IntArrayRef shape, at::Device device = at::kCPU) {
  return at::randn(shape, at::kFloat).to(device).requires_grad_();
}

TEST(ScaledCopies, AreScaledAndRoundedOnce) {
  const at::Tensor weight = random_weight({4, 3, 3, 3});
  const auto copies = scaled_copies({{weight, 0.3, WeightLayout::kChannelsLast}}, at::kBFloat16);
  EXPECT_TRUE(copies[0].equal((weight * 0.3).to(at::kBFloat16)));
  EXPECT_TRUE(copies[0].is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(ScaledCopies, OfUnscaledParametersInTheirTypeAreTheParameters) {
  const at::Tensor bias = random_weight({4});
  EXPECT_TRUE(scaled_copies({{bias}}, at::kFloat)[0].is_same(bias));
  EXPECT_FALSE(scaled_copies({{bias, 2}}, at::kFloat)[0].is_same(bias));
  EXPECT_FALSE(scaled_copies({{bias}}, at::kBFloat16)[0].is_same(bias));
}

TEST(ScaledCopies, HaveTheScaledGradient) {
  const at::Tensor weight = random_weight({2, 3, 1, 1});
  const auto copies = scaled_copies({{weight, 3}}, at::kFloat);
  copies[0].sum().backward();
  EXPECT_TRUE(weight.grad().equal(at::full_like(weight, 3)));
}

/// On a device whose tensors have no memory, the path is a GPU's.
class ScaledCopiesOnADevice : public testing::Test {
 protected:
  const at::Tensor plain_ = random_weight({8, 6, 3, 3}, at::kMeta);
  const at::Tensor transposed_ = random_weight({8, 6, 3, 3}, at::kMeta);
  const at::Tensor matrix_ = random_weight({5, 4}, at::kMeta);
  const std::vector<at::Tensor> copies_ =
      scaled_copies({{plain_, 2, WeightLayout::kChannelsLast},
                     {transposed_, 1, WeightLayout::kTransposedChannelsLast},
                     {matrix_, 3}},
                    at::kBFloat16);
};

TEST_F(ScaledCopiesOnADevice, LieAsConvolutionsTakeThem) {
  EXPECT_TRUE(copies_[0].is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(copies_[1].transpose(0, 1).is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(copies_[2].is_contiguous());
  for (const at::Tensor& copy : copies_) EXPECT_EQ(copy.scalar_type(), at::kBFloat16);
  EXPECT_EQ(copies_[1].sizes(), transposed_.sizes());
}

TEST_F(ScaledCopiesOnADevice, HaveGradientsOnlyOfUsedResults) {
  copies_[0].sum().backward();
  EXPECT_EQ(plain_.grad().scalar_type(), at::kFloat);
  EXPECT_TRUE(plain_.grad().is_contiguous());
  EXPECT_FALSE(transposed_.grad().defined());
}

}  // namespace
}  // namespace ganscale::kernels
