#include "models/biggan/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "models/layers/conv2d.h"
#include "models/layers/spectral_norm.h"

namespace ganscale::models::biggan {
namespace {

/// Returns the bias of a layer; undefined if it has none.
at::Tensor add_bias(torch::nn::Module& layer, int out, Bias bias) {
  if (bias == Bias::kNone) return {};
  return layer.register_parameter("bias", at::zeros({out}));
}

/// Returns the running statistics of a batch norm, without scale and shift.
BatchNormTensors add_statistics(torch::nn::Module& norm, int channels) {
  return {.weight = {},
          .bias = {},
          .running_mean = norm.register_buffer("stored_mean", at::zeros({channels})),
          .running_var = norm.register_buffer("stored_var", at::ones({channels}))};
}

at::Tensor per_pixel(const at::Tensor& vectors) { return vectors.unsqueeze(2).unsqueeze(3); }

}  // namespace

at::Tensor doubled(const at::Tensor& x) {
  return at::upsample_nearest2d(x, at::OptionalIntArrayRef(), at::ArrayRef<double>{2.0, 2.0});
}

at::Tensor halved(const at::Tensor& x) { return at::avg_pool2d(x, {2, 2}); }

SpectralLayer::SpectralLayer(at::IntArrayRef weight_shape, double epsilon)
    : weight_(register_parameter("weight", at::zeros(weight_shape))),
      u_(register_buffer("u0", at::zeros({1, weight_shape[0]}))),
      singular_value_(register_buffer("sv0", at::ones({1}))),
      epsilon_(epsilon) {}

at::Tensor SpectralLayer::normalized_weight() const {
  if (held_.defined()) return held_;
  const auto largest = largest_singular_value(weight_, u_.squeeze(0), epsilon_, is_training());
  if (is_training()) {
    const at::NoGradGuard no_grad;
    singular_value_.fill_(largest);
  }
  return weight_ / largest;
}

Convolution::Convolution(int in_channels, int out_channels, int kernel, double epsilon, Bias bias)
    : SpectralLayer({out_channels, in_channels, kernel, kernel}, epsilon),
      kernel_(kernel),
      bias_(add_bias(*this, out_channels, bias)) {}

at::Tensor Convolution::convolved(const at::Tensor& x, const Convolve& convolve) const {
  return models::convolved({x, normalized_weight(), bias_}, layout(), convolve);
}

at::Tensor Convolution::forward(const at::Tensor& x) const {
  return convolved(x, [](const ConvolutionOperands& in) { return conv2d(in); });
}

at::Tensor Convolution::upsampled(const at::Tensor& x) const {
  return kernel_ == 1 ? doubled(forward(x)) : convolved(x, upsampled_conv2d);
}

at::Tensor Convolution::halved(const at::Tensor& x) const {
  return kernel_ == 1 ? forward(biggan::halved(x)) : convolved(x, halved_conv2d);
}

Linear::Linear(int in_features, int out_features, double epsilon, Bias bias)
    : SpectralLayer({out_features, in_features}, epsilon),
      bias_(add_bias(*this, out_features, bias)) {}

at::Tensor Linear::forward(const at::Tensor& x) const {
  return multiplied(x, normalized_weight(), bias_, layout());
}

Embedding::Embedding(int label_count, int width, double epsilon)
    : SpectralLayer({label_count, width}, epsilon) {}

at::Tensor Embedding::forward(const at::Tensor& labels) const {
  return at::embedding(normalized_weight(), labels);
}

ConditionalNorm::ConditionalNorm(int channels, int condition_width, const NetworkConfig& config)
    : BatchNormLayer(config.norm),
      gain_(add<Linear>(*this, "gain", condition_width, channels, config.spectral_epsilon,
                        Bias::kNone)),
      bias_(add<Linear>(*this, "bias", condition_width, channels, config.spectral_epsilon,
                        Bias::kNone)) {
  tensors_ = add_statistics(*this, channels);
}

at::Tensor ConditionalNorm::forward(const at::Tensor& x, const at::Tensor& condition) const {
  const auto gain = per_pixel(gain_->forward(condition).add(1)).to(x.scalar_type());
  const auto bias = per_pixel(bias_->forward(condition)).to(x.scalar_type());
  return at::addcmul(bias, normalized(x), gain).relu_();
}

OutputNorm::OutputNorm(int channels, const NetworkConfig& config) : BatchNormLayer(config.norm) {
  tensors_ = add_statistics(*this, channels);
  tensors_.weight = register_parameter("gain", at::ones({channels}));
  tensors_.bias = register_parameter("bias", at::zeros({channels}));
}

at::Tensor OutputNorm::forward(const at::Tensor& x) const { return normalized(x).relu_(); }

SelfAttention::SelfAttention(int channels, double epsilon) {
  const auto pointwise = [&](const char* name, int in, int out) {
    return add<Convolution>(*this, name, in, out, /*kernel=*/1, epsilon, Bias::kNone);
  };
  const int keys = std::max(1, channels / 8);
  const int values = std::max(1, channels / 2);
  theta_ = pointwise("theta", channels, keys);
  phi_ = pointwise("phi", channels, keys);
  g_ = pointwise("g", channels, values);
  o_ = pointwise("o", values, channels);
  gamma_ = register_parameter("gamma", at::zeros({}, at::kFloat));
}

at::Tensor SelfAttention::forward(const at::Tensor& x) const {
  const auto queries = theta_->forward(x).flatten(2).transpose(1, 2);     // [N, H W, C / 8]
  const auto keys = at::max_pool2d(phi_->forward(x), {2, 2}).flatten(2);  // [N, C / 8, H W / 4]
  const auto values =
      at::max_pool2d(g_->forward(x), {2, 2}).flatten(2).transpose(1, 2);  // [N, H W / 4, C / 2]
  const auto attended = at::softmax(queries.bmm(keys), -1).bmm(values);   // [N, H W, C / 2]
  // Channels last, as x: no copy.
  const auto features =
      attended.view({-1, x.size(2), x.size(3), attended.size(2)}).permute({0, 3, 1, 2});
  return at::addcmul(x, o_->forward(features), gamma_);
}

}  // namespace ganscale::models::biggan
