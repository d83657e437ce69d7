#include "profile/kinds.h"

#include <gtest/gtest.h>

namespace ganscale::profile {
namespace {

TEST(KindOf, KnowsOperatorsOfLibTorchAndOurs) {
  EXPECT_EQ(kind_of("aten::convolution_backward"), Kind::kConvolution);
  EXPECT_EQ(kind_of("aten::mkldnn_convolution"), Kind::kConvolution);
  EXPECT_EQ(kind_of("aten::addmm"), Kind::kMatrixProduct);
  EXPECT_EQ(kind_of("aten::native_batch_norm"), Kind::kNormalization);
  EXPECT_EQ(kind_of("ganscale::upfirdn2d"), Kind::kResampling);
  EXPECT_EQ(kind_of("aten::copy_"), Kind::kLayout);
  EXPECT_EQ(kind_of("ganscale::bias_act"), Kind::kElementwise);
  EXPECT_EQ(kind_of("aten::leaky_relu_"), Kind::kElementwise);
  EXPECT_EQ(kind_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), Kind::kCollective);
}

TEST(KindOf, LeavesToTheCallerWhatComputesNothing) {
  EXPECT_EQ(kind_of("aten::empty_strided"), std::nullopt);
  EXPECT_EQ(kind_of("aten::view"), std::nullopt);
  EXPECT_EQ(kind_of("autograd::engine::evaluate_function: MulBackward0"), std::nullopt);
}

}  // namespace
}  // namespace ganscale::profile
