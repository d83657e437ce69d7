#include "models/contract/layout.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/linear.h>
#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "base/error.h"
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

/// Appends zeros along an axis to each of some equal parts of it, up to a size of each part.
at::Tensor with_zeros_in_parts(const at::Tensor& tensor, std::int64_t axis, std::int64_t parts,
                               std::int64_t size) {
  if (tensor.size(axis) == parts * size) return tensor;
  if (parts == 1) return with_zeros(tensor, axis, size);
  const at::Tensor apart = tensor.unflatten(axis, {parts, tensor.size(axis) / parts});
  return with_zeros(apart, axis + 1, size).flatten(axis, axis + 1);
}

/// Removes what with_zeros_in_parts() appends to axis 1.
at::Tensor without_zeros(const at::Tensor& y, std::int64_t parts, std::int64_t size) {
  if (y.size(1) == parts * size) return y;
  if (parts == 1) return y.narrow(1, 0, size);
  return y.unflatten(1, {parts, y.size(1) / parts}).narrow(2, 0, size).flatten(1, 2);
}

/// The channels that a group takes and gives.
struct GroupChannels {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

GroupChannels channels_of(const ConvolutionOperands& operands) {
  const at::Tensor& weight = operands.weight;
  const GroupChannels channels{weight.size(1), weight.size(0) / operands.groups};
  const bool fits = operands.x.size(1) == operands.groups * channels.in &&
                    weight.size(0) == operands.groups * channels.out;
  if (fits) return channels;
  throw Error(ExitCode::kBug, "a convolution in " + std::to_string(operands.groups) +
                                  " groups of a weight of " + std::to_string(weight.size(0)) +
                                  " x " + std::to_string(weight.size(1)) + " does not take " +
                                  std::to_string(operands.x.size(1)) + " channels");
}

at::Tensor in_weight_format(const at::Tensor& weight, at::ScalarType dtype, const Layout& layout) {
  if (layout.weights == at::MemoryFormat::Contiguous) return weight.to(dtype);
  return in_format(weight, dtype, layout.weights);
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
  const GroupChannels own = channels_of(in);
  const bool is_depthwise = in.groups > 1 && own.in == 1;
  const auto multiple = is_depthwise ? 1 : layout.channel_multiple;
  const GroupChannels padded{rounded_up(own.in, multiple), rounded_up(own.out, multiple)};
  const at::Tensor weight =
      with_zeros_in_parts(with_zeros(in.weight, 1, padded.in), 0, in.groups, padded.out);
  const at::Tensor x = with_zeros_in_parts(in.x, 1, in.groups, padded.in);
  ConvolutionOperands taken{.x = in_format(x, dtype, layout.features),
                            .weight = in_weight_format(weight, dtype, layout),
                            .groups = in.groups};
  if (in.bias.defined())
    taken.bias = with_zeros_in_parts(in.bias, 0, in.groups, padded.out).to(dtype);
  return without_zeros(convolve(taken), in.groups, own.out);
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
