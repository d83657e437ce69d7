#include "models/r3gan/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/zeros.h>

#include "kernels/bias_act/bias_act.h"
#include "kernels/convolution/convolution.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::models::r3gan {
namespace {

constexpr double kSlope = 0.2;

/// Upsamples by 2 with LibTorch's operators. The factor makes up for the three of four pixels that
/// are zero.
at::Tensor traceable_upsampling(const at::Tensor& x, const at::Tensor& kernel) {
  const auto channels = x.size(1);
  const at::Tensor weight = (kernel * 4).expand({channels, 1, -1, -1});
  return at::conv_transpose2d(x, weight, /*bias=*/{}, /*stride=*/2, /*padding=*/1,
                              /*output_padding=*/0, channels);
}

}  // namespace

Convolution::Convolution(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
                         std::int64_t groups)
    : padding_(kernel / 2), groups_(groups) {
  weight_ = add<List>(*this, "Layer", "Layer")
                ->register_parameter(
                    "weight", at::zeros({out_channels, in_channels / groups, kernel, kernel}));
}

at::Tensor Convolution::forward(const at::Tensor& x, Operators operators) const {
  if (operators == Operators::kTraceable) {
    return at::conv2d(x, weight_, /*bias=*/{}, /*stride=*/1, padding_, /*dilation=*/1, groups_);
  }
  return convolved(
      {x, weight_, /*bias=*/{}, groups_}, layout(), [this](const ConvolutionOperands& in) {
        return kernels::convolution2d(in.x, in.weight, {.padding = padding_, .groups = in.groups});
      });
}

Activation::Activation(std::int64_t channels)
    : bias_(register_parameter("Bias", at::zeros({channels}))) {}

at::Tensor Activation::forward(const at::Tensor& x, Operators operators) const {
  if (operators == Operators::kTraceable) {
    return at::leaky_relu(x + bias_.unsqueeze(1).unsqueeze(2), kSlope);
  }
  return kernels::bias_act(x, bias_.to(x.scalar_type()),
                           {.activation = kernels::Activation::kLeakyRelu, .slope = kSlope});
}

ResidualBlock::ResidualBlock(const Stage& stage, std::int64_t expansion) {
  const std::int64_t inside = expansion * stage.width;
  convolutions_[0] = add<Convolution>(*this, "LinearLayer1", stage.width, inside);
  activations_[0] = add<Activation>(*this, "NonLinearity1", inside);
  convolutions_[1] =
      add<Convolution>(*this, "LinearLayer2", inside, inside, /*kernel=*/3, stage.cardinality);
  activations_[1] = add<Activation>(*this, "NonLinearity2", inside);
  convolutions_[2] = add<Convolution>(*this, "LinearLayer3", inside, stage.width);
}

at::Tensor ResidualBlock::forward(const at::Tensor& x, Operators operators) const {
  at::Tensor inside = x;
  for (int i = 0; i < 2; ++i) {
    inside = activations_[i]->forward(convolutions_[i]->forward(inside, operators), operators);
  }
  return x + convolutions_[2]->forward(inside, operators);
}

Transition::Transition(std::int64_t in_channels, std::int64_t out_channels) {
  kernel_ = add<List>(*this, "Resampler", "Resampler")
                ->register_buffer("Kernel", kernels::setup_filter({1, 3, 3, 1}));
  if (in_channels != out_channels)
    convolution_ = add<Convolution>(*this, "LinearLayer", in_channels, out_channels);
}

at::Tensor Transition::upsampled(const at::Tensor& x, Operators operators) const {
  const at::Tensor y = convolution_ ? convolution_->forward(x, operators) : x;
  return operators == Operators::kTraceable ? traceable_upsampling(y, kernel_)
                                            : kernels::upsample2d(y, kernel_);
}

at::Tensor Transition::downsampled(const at::Tensor& x) const {
  const at::Tensor y = kernels::downsample2d(x, kernel_);
  return convolution_ ? convolution_->forward(y) : y;
}

at::Tensor embedded(const at::Tensor& weight, const at::Tensor& labels) {
  return at::embedding(weight.t(), labels);
}

}  // namespace ganscale::models::r3gan
