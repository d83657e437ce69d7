#include "models/contract/layout.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/linear.h>
#include <torch/nn/module.h>

#include <vector>

#include "base/rounded_up.h"

namespace ganscale::models {
namespace {

constexpr std::int64_t kRowsOfTensorCores = 8;  // and channels

at::Tensor in_format(const at::Tensor& tensor, at::ScalarType dtype, at::MemoryFormat format) {
  if (tensor.scalar_type() == dtype) return tensor.contiguous(format);
  return tensor.to(dtype, /*non_blocking=*/false, /*copy=*/false, format);
}

/// Appends zeros along an axis up to a size.
at::Tensor with_zeros(const at::Tensor& tensor, std::int64_t axis, std::int64_t size) {
  if (tensor.size(axis) == size) return tensor;
  std::vector<std::int64_t> padding(2 * static_cast<std::size_t>(tensor.dim() - axis), 0);
  padding.back() = size - tensor.size(axis);  // the list begins with the last axis
  return at::constant_pad_nd(tensor, padding);
}

at::Tensor padded_weight(const at::Tensor& weight, at::ScalarType dtype, const Layout& layout) {
  const auto multiple = layout.channel_multiple;
  const at::Tensor in = with_zeros(weight, 1, rounded_up(weight.size(1), multiple));
  const at::Tensor all = with_zeros(in, 0, rounded_up(weight.size(0), multiple));
  if (layout.weights == at::MemoryFormat::Contiguous) return all.to(dtype);
  return in_format(all, dtype, layout.weights);
}

}  // namespace

Layout LayoutPolicy::layout_of(at::DeviceType holder, at::ScalarType computes_in) const {
  if (is_plain) return {};
  if (device.value_or(holder) == at::kCPU) return {.features = at::MemoryFormat::ChannelsLast};
  const bool takes_tensor_cores =
      c10::isReducedFloatingType(computes_in) || (computes_in == at::kFloat && allows_tf32);
  if (!takes_tensor_cores) return {};
  return {.features = at::MemoryFormat::ChannelsLast,
          .weights = at::MemoryFormat::ChannelsLast,
          .channel_multiple = kRowsOfTensorCores,
          .vector_multiple = kRowsOfTensorCores};
}

bool LayoutPolicy::joins_batches(at::DeviceType holder) const {
  return !is_plain && device.value_or(holder) != at::kCPU;
}

at::Tensor laid_out(const at::Tensor& x, at::ScalarType dtype, const LayoutPolicy& policy) {
  return in_format(x, dtype, policy.layout_of(x.device().type(), dtype).features);
}

at::Tensor convolved(const ConvolutionOperands& in, const LayoutPolicy& policy,
                     const Convolve& convolve) {
  const auto dtype = in.x.scalar_type();
  const Layout layout = policy.layout_of(in.x.device().type(), dtype);
  ConvolutionOperands taken;
  taken.weight = padded_weight(in.weight, dtype, layout);
  taken.x = in_format(with_zeros(in.x, 1, taken.weight.size(1)), dtype, layout.features);
  if (in.bias.defined()) taken.bias = with_zeros(in.bias, 0, taken.weight.size(0)).to(dtype);
  const at::Tensor y = convolve(taken);
  return y.size(1) == in.weight.size(0) ? y : y.narrow(1, 0, in.weight.size(0));
}

at::Tensor multiplied(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      const LayoutPolicy& policy) {
  const Layout layout = policy.layout_of(x.device().type(), x.scalar_type());
  const auto count = rounded_up(x.size(0), layout.vector_multiple);
  const at::Tensor y = at::linear(with_zeros(x, 0, count), weight, bias);
  return y.size(0) == x.size(0) ? y : y.narrow(0, 0, x.size(0));
}

void set_layout(const torch::nn::Module& network, const LayoutPolicy& policy) {
  for (const auto& module : network.modules()) {
    if (auto* one = dynamic_cast<LaidOut*>(module.get())) one->set_layout(policy);
  }
}

}  // namespace ganscale::models
