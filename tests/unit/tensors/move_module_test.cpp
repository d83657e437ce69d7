#include "tensors/move_module.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

namespace ganscale {
namespace {

/// Has handles of its own to what is registered, as layers do.
class Scale : public torch::nn::Module {
 public:
  Scale()
      : weight_(register_parameter("weight", at::full({2, 3}, 3.0))),
        count_(register_buffer("count", at::ones({}, at::kLong))) {}
  at::Tensor forward(const at::Tensor& x) const { return x * weight_; }

 private:
  at::Tensor weight_;
  at::Tensor count_;
};

TEST(MoveModule, ChangesTheTypeOfParameters) {
  Scale module;
  move_module(module, at::kCPU, at::kDouble);
  EXPECT_EQ(module.forward(at::ones({3})).scalar_type(), at::kDouble);
  EXPECT_TRUE(module.forward(at::ones({3})).eq(3).all().item<bool>());
}

TEST(MoveModule, ToTheMetaDeviceLeavesShapesTypesAndGradients) {
  Scale module;
  move_module(module, at::kMeta, at::kDouble);
  for (const at::Tensor& tensor : module.buffers()) EXPECT_TRUE(tensor.is_meta());
  const at::Tensor y = module.forward(at::empty({3}, at::kMeta));
  EXPECT_TRUE(y.is_meta());
  EXPECT_EQ(y.sizes(), (at::IntArrayRef{2, 3}));
  EXPECT_EQ(y.scalar_type(), at::kDouble);
  y.sum().backward();
  EXPECT_TRUE(module.parameters()[0].grad().is_meta());
}

}  // namespace
}  // namespace ganscale
