#include "cost/recorder.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/operation.h"
#include "kernels/bias_act/bias_act.h"
#include "kernels/convolution/convolution.h"
#include "kernels/counter_random/counter_random.h"
#include "kernels/multi_tensor_adam/multi_tensor_adam.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::cost {
namespace {

using testing::ElementsAre;

at::Tensor blank(at::IntArrayRef shape, at::ScalarType dtype = at::kFloat) {
  return at::empty(shape, at::TensorOptions(at::kMeta).dtype(dtype));
}

/// What an action gives to a device.
struct Recorded {
  template <class Action>
  explicit Recorded(Action action) {
    Recorder recorder;
    action();
    operations = recorder.take();
    work = work_of(operations);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Operation& operation : operations) result.push_back(operation.name);
    return result;
  }

  std::vector<Operation> operations;
  Work work;
};

// A layer by hand: 8 images of 16 x 16 pixels, 3 x 3 kernels from 5 channels to 7.
constexpr double kPixels = 8 * 16 * 16;
constexpr double kLayerFlops = 2 * kPixels * 7 * 5 * 3 * 3;

TEST(Recorder, CountsALayerAsByHand) {
  const Recorded seen([] {
    const at::Tensor x = blank({8, 5, 16, 16}).requires_grad_();
    const at::Tensor weight = blank({7, 5, 3, 3}).requires_grad_();
    kernels::convolution2d(x, weight, {.padding = 1}).sum().backward();
  });
  EXPECT_EQ(seen.work.convolution_flops, kLayerFlops);
  EXPECT_EQ(seen.work.data_gradient_flops, kLayerFlops);
  EXPECT_EQ(seen.work.weight_gradient_flops, kLayerFlops);
  // The sum reads the result and writes a number, whose gradient is 1; it is expanded, which takes
  // no memory, until both gradients need it dense: they read a number and write the result's size.
  const double result_bytes = kPixels * 7 * 4;
  EXPECT_EQ(seen.work.memory_bytes, (result_bytes + 4) + 4 + 2 * (4 + result_bytes));
  EXPECT_EQ(seen.work.launches, 3 + 1 + 1 + 2);
}

TEST(Recorder, CountsTheGradientOfATransposedConvolutionAsAPlainOne) {
  const Recorded seen([] {
    const at::Tensor x = blank({8, 5, 16, 16}).requires_grad_();
    const at::Tensor weight = blank({5, 7, 3, 3});
    const at::Tensor y = kernels::convolution2d(x, weight, {.stride = 2, .transposed = true});
    EXPECT_EQ(y.sizes(), (at::IntArrayRef{8, 7, 33, 33}));
    y.backward(at::empty_like(y));
  });
  EXPECT_EQ(seen.work.data_gradient_flops, kLayerFlops);
  EXPECT_EQ(seen.work.convolution_flops, kLayerFlops);
  EXPECT_EQ(seen.work.weight_gradient_flops, 0);
  for (const Operation& operation : seen.operations) {
    EXPECT_EQ(operation.bytes, (kPixels * 5 + 5 * 7 * 3 * 3 + 8 * 7 * 33 * 33) * 4);
  }
}

// Three groups: each of 9 channels is computed from 2 of 6.
TEST(Recorder, CountsAGroupedConvolutionAsByHand) {
  const Recorded seen([] {
    const at::Tensor x = blank({8, 6, 16, 16}).requires_grad_();
    const at::Tensor weight = blank({9, 2, 3, 3}).requires_grad_();
    kernels::convolution2d(x, weight, {.padding = 1, .groups = 3}).sum().backward();
  });
  constexpr double kFlops = 2 * kPixels * 9 * 2 * 3 * 3;
  EXPECT_EQ(seen.work.convolution_flops, kFlops);
  EXPECT_EQ(seen.work.data_gradient_flops, kFlops);
  EXPECT_EQ(seen.work.weight_gradient_flops, kFlops);
}

TEST(Recorder, CountsLibTorchsOwnConvolutionAlike) {
  const Recorded seen([] {
    const at::Tensor x = blank({8, 5, 16, 16}).requires_grad_();
    const at::Tensor weight = blank({7, 5, 3, 3}).requires_grad_();
    at::conv2d(x, weight, {}, 1, 1).sum().backward();
  });
  EXPECT_EQ(seen.work.convolution_flops, kLayerFlops);
  EXPECT_EQ(seen.work.data_gradient_flops, kLayerFlops);
  EXPECT_EQ(seen.work.weight_gradient_flops, kLayerFlops);
}

TEST(Recorder, CountsMatrixProductsAndTheirBytes) {
  const Recorded seen([] { at::addmm(blank({7}), blank({3, 5}), blank({7, 5}).t()); });
  EXPECT_EQ(seen.work.matrix_product_flops, 2 * 3 * 5 * 7);
  EXPECT_EQ(seen.work.memory_bytes, 4 * (7 + 3 * 5 + 5 * 7 + 3 * 7));
  EXPECT_EQ(seen.work.launches, 1);
}

TEST(Recorder, ReturnsTheTypeThatAnOperationComputesIn) {
  const auto number_of = [](at::ScalarType dtype) {
    return Recorded([&] { at::mm(blank({3, 5}, dtype), blank({5, 7}, dtype)); })
        .operations.at(0)
        .number;
  };
  EXPECT_EQ(number_of(at::kDouble), Number::kFloat64);
  EXPECT_EQ(number_of(at::kFloat), Number::kFloat32);
  EXPECT_EQ(number_of(at::kHalf), Number::kLowPrecision);
  EXPECT_EQ(number_of(at::kBFloat16), Number::kLowPrecision);
}

TEST(Recorder, ReadsArgumentsAndWritesResultsOnce) {
  const Recorded sum([] { blank({4, 6}).add(blank({6})); });
  EXPECT_EQ(sum.work.memory_bytes, 4 * (24 + 6 + 24));
  const Recorded in_place([] { blank({4, 6}).add_(blank({4, 1}).expand({4, 6})); });
  EXPECT_EQ(in_place.work.memory_bytes, 4 * (24 + 4 + 24));
  const Recorded overwritten([] { blank({4, 6}).zero_(); });
  EXPECT_EQ(overwritten.work.memory_bytes, 4 * 24);
  const Recorded copied([] { blank({4, 6}).copy_(blank({4, 6}, at::kHalf)); });
  EXPECT_EQ(copied.work.memory_bytes, (4 + 2) * 24);
}

TEST(Recorder, DoesNotCountViewsAndAllocations) {
  const Recorded seen([] {
    const at::Tensor x = blank({4, 6});
    x.t().unsqueeze(0).expand({5, -1, -1}).select(0, 2).narrow(0, 1, 2);
    x.view({24}).reshape({2, 12}).detach().contiguous().to(at::kFloat);
    at::empty_like(x).as_strided({2, 2}, {1, 2});
  });
  EXPECT_THAT(seen.names(), ElementsAre());
}

TEST(Recorder, CountsACompositeByItsParts) {
  const Recorded seen([] { at::zeros({4, 6}, at::kMeta).to(at::kHalf).clone().mean(); });
  EXPECT_THAT(seen.names(), ElementsAre("aten::zero_", "aten::copy_", "aten::copy_", "aten::mean"));
}

TEST(Recorder, DoesNotCountTheHost) {
  const Recorded seen([] { at::ones({3}).add(1).sum().item(); });
  EXPECT_THAT(seen.names(), ElementsAre());
  const Recorded sent([] { at::ones({3}).add(1).to(at::kMeta); });
  EXPECT_THAT(sent.names(), ElementsAre("aten::copy_"));
  EXPECT_EQ(sent.work.memory_bytes, 12);
}

TEST(Recorder, CountsWaitsOfTheHostForAValue) {
  const Recorded seen([] { EXPECT_EQ(blank({}).item<double>(), 0); });
  EXPECT_EQ(seen.work.host_reads, 1);
  EXPECT_EQ(seen.work.launches, 1);
}

TEST(Recorder, TakesAFusedUpdateAsOneLaunchForSoManyTensors) {
  const Recorded seen([] {
    const std::vector<at::Tensor> averages(65, blank({10}));
    const std::vector<at::Tensor> values(65, blank({10}));
    at::_foreach_lerp_(averages, values, 0.5);
  });
  EXPECT_THAT(seen.names(), ElementsAre("aten::_foreach_lerp_"));
  EXPECT_EQ(seen.work.launches, 2);  // 64 of two lists
  EXPECT_EQ(seen.work.memory_bytes, 65 * 3 * 40);
}

TEST(Recorder, CountsKernelsOfOurOwn) {
  const Recorded seen([] {
    const ImageRandom images{.seed = 1, .first_image = 0, .image_stride = 1};
    const at::Tensor x = kernels::random_normal(images, Stream::kGeneratorNoise, 0, {2, 3, 8, 8},
                                                at::TensorOptions(at::kMeta));
    EXPECT_EQ(kernels::upsample2d(x, blank({4, 4})).sizes(), (at::IntArrayRef{2, 3, 16, 16}));
  });
  EXPECT_THAT(seen.names(), ElementsAre("ganscale::random_numbers", "ganscale::upfirdn2d"));
  EXPECT_EQ(seen.work.memory_bytes, 4 * (384 + (384 + 16 + 4 * 384)));
}

TEST(Recorder, CountsTheSumsOfABiasInThePassOfItsDerivative) {
  const Recorded seen([] {
    const at::Tensor x = blank({2, 8, 4, 4}).requires_grad_();
    const at::Tensor bias = blank({8}).requires_grad_();
    const at::Tensor y =
        kernels::bias_act(x, bias, {.activation = kernels::Activation::kLeakyRelu});
    y.backward(at::empty_like(y));
  });
  EXPECT_THAT(seen.names(),
              ElementsAre("ganscale::bias_act", "ganscale::bias_act", "ganscale::row_sums"));
  const double partial_sums = 2 * 8;  // of an image each
  EXPECT_EQ(seen.work.memory_bytes,
            4 * ((256 + 8 + 256) + (3 * 256 + partial_sums) + (partial_sums + 8)));
}

TEST(Recorder, CountsAnUpdateOfManyParameters) {
  const Recorded seen([] {
    const std::vector<at::Tensor> ten(65, blank({10}));
    const std::vector<at::Tensor> steps(65, blank({}));
    kernels::multi_tensor_adam({.parameters = ten,
                                .gradients = ten,
                                .first_moments = ten,
                                .second_moments = ten,
                                .averages = {},
                                .steps = steps},
                               {});
  });
  EXPECT_EQ(seen.work.launches, 2);  // of 64 and of 1
  // Parameters and both moments are read and written, gradients and steps read.
  EXPECT_EQ(seen.work.memory_bytes, 65 * (7 * 40 + 4));
}

TEST(Recorder, CountsTheCopyOfAConvolutionInTwoLayouts) {
  const auto names_of = [](at::MemoryFormat of_weight) {
    const at::TensorOptions meta(at::kMeta);
    const at::Tensor x = at::empty({8, 5, 16, 16}, meta, at::MemoryFormat::ChannelsLast);
    const at::Tensor weight = at::empty({7, 5, 3, 3}, meta, of_weight);
    return Recorded([&] { at::conv2d(x, weight); }).names();
  };
  EXPECT_THAT(names_of(at::MemoryFormat::Contiguous),
              ElementsAre("aten::copy_", "aten::convolution"));
  EXPECT_THAT(names_of(at::MemoryFormat::ChannelsLast), ElementsAre("aten::convolution"));
}

}  // namespace
}  // namespace ganscale::cost
