#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/scaled_copies/fill.h"
#include "kernels/scaled_copies/scaled_copies.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Layouts = std::vector<std::int64_t>;

bool has_layout(const at::Tensor& weight, WeightLayout layout) {
  if (weight.dim() != 4 || layout == WeightLayout::kContiguous) return weight.is_contiguous();
  const bool is_transposed = layout == WeightLayout::kTransposedChannelsLast;
  return (is_transposed ? weight.transpose(0, 1) : weight)
      .is_contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor empty_copy(const at::Tensor& weight, at::ScalarType dtype, WeightLayout layout) {
  const auto options = weight.options().dtype(dtype);
  if (weight.dim() != 4 || layout == WeightLayout::kContiguous) {
    return at::empty(weight.sizes(), options);
  }
  const auto last = options.memory_format(at::MemoryFormat::ChannelsLast);
  if (layout == WeightLayout::kChannelsLast) return at::empty(weight.sizes(), last);
  return at::empty(weight.transpose(0, 1).sizes(), last).transpose(0, 1);
}

/// An axis of a weight; those of its kernel are one.
struct WeightAxis {
  std::int64_t size;
  std::int64_t stride;
  std::int64_t out_stride;
};

/// Returns the memory of a copy, given `in` with a kernel whose axes can be one.
ScaledArray array_of(const at::Tensor& out, const at::Tensor& in, double factor) {
  check(in.numel() <= std::numeric_limits<std::int32_t>::max(), "a weight has 2^31 elements");
  ScaledArray array{.out = out.mutable_data_ptr(),
                    .in = in.const_data_ptr(),
                    .factor = factor,
                    .element_count = static_cast<std::int32_t>(in.numel())};
  if (in.dim() != 4) {
    array.sizes[1] = std::max(array.element_count, 1);
    return array;
  }
  std::array<WeightAxis, 3> axes = {{{in.size(0), in.stride(0), out.stride(0)},
                                     {in.size(1), in.stride(1), out.stride(1)},
                                     {in.size(2) * in.size(3), in.stride(3), out.stride(3)}}};
  // An axis of one element lies anywhere.
  std::ranges::stable_sort(axes, std::ranges::greater(), [](const WeightAxis& axis) {
    return axis.size == 1 ? std::numeric_limits<std::int64_t>::max() : axis.out_stride;
  });
  for (std::size_t i = 0; i < axes.size(); ++i) {
    array.strides[i] = static_cast<std::int32_t>(axes[i].stride);
    if (i > 0) array.sizes[i - 1] = static_cast<std::int32_t>(axes[i].size);
  }
  return array;
}

/// Returns the tensor with kernel axes that array_of() takes.
at::Tensor with_joined_kernel(const at::Tensor& in) {
  if (in.dim() != 4) return in.contiguous();
  const bool joins = in.size(2) == 1 || in.stride(2) == in.size(3) * in.stride(3);
  return joins ? in : in.contiguous();
}

void copy_scaled(const std::vector<at::Tensor>& in, const std::vector<at::Tensor>& out,
                 const std::vector<double>& factors) {
  const ScaledCopyTask task{scalar_type_of(in.front().scalar_type()),
                            scalar_type_of(out.front().scalar_type())};
  for (std::size_t begin = 0; begin < in.size(); begin += kMostScaledArrays) {
    const std::size_t count = std::min(in.size() - begin, kMostScaledArrays);
    const at::TensorList read(in.data() + begin, count);
    const at::TensorList written(out.data() + begin, count);
    launch_on_device("ganscale::scaled_copies", {read, written}, [&](void* stream) {
      std::vector<ScaledArray> arrays;
      for (std::size_t i = 0; i < count; ++i) {
        arrays.push_back(array_of(written[i], read[i], factors[begin + i]));
      }
      scaled_copies_kernel(arrays, task, stream);
    });
  }
}

struct ScaledCopies : torch::autograd::Function<ScaledCopies> {
  static variable_list forward(AutogradContext* context, at::TensorList weights,
                               const std::vector<double>& factors, const Layouts& layouts,
                               at::ScalarType dtype) {
    context->set_materialize_grads(false);
    context->saved_data["factors"] = factors;
    context->saved_data["dtype"] = static_cast<std::int64_t>(weights.front().scalar_type());
    std::vector<at::Tensor> in;
    std::vector<at::Tensor> out;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      in.push_back(with_joined_kernel(weights[i]));
      out.push_back(empty_copy(weights[i], dtype, static_cast<WeightLayout>(layouts[i])));
    }
    copy_scaled(in, out, factors);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto factors = context->saved_data["factors"].toDoubleVector();
    std::vector<ScaledWeight> known;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) known.push_back({gradients[i], factors[i]});
    }
    const auto dtype = static_cast<at::ScalarType>(context->saved_data["dtype"].toInt());
    const auto copies = scaled_copies(known, dtype);
    variable_list result(gradients.size() + 3);  // none of factors, layouts and dtype
    auto copy = copies.begin();
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) result[i] = *copy++;
    }
    return result;
  }
};

bool is_as_wanted(const ScaledWeight& in, at::ScalarType dtype) {
  return in.factor == 1 && in.weight.scalar_type() == dtype && has_layout(in.weight, in.layout);
}

at::Tensor copy_on_cpu(const ScaledWeight& in, at::ScalarType dtype) {
  const at::Tensor scaled = in.factor == 1 ? in.weight : in.weight * in.factor;
  const at::Tensor converted = scaled.to(dtype);
  if (has_layout(converted, in.layout)) return converted;
  const at::Tensor copy = empty_copy(converted, dtype, in.layout);
  return copy.copy_(converted);
}

}  // namespace

std::vector<at::Tensor> scaled_copies(const std::vector<ScaledWeight>& weights,
                                      at::ScalarType dtype) {
  std::vector<at::Tensor> result;
  std::vector<at::Tensor> copied;
  std::vector<double> factors;
  Layouts layouts;
  for (const ScaledWeight& in : weights) {
    const bool stays = is_as_wanted(in, dtype);
    result.push_back(stays ? in.weight : at::Tensor());
    if (stays) continue;
    if (!takes_kernels(in.weight)) {
      result.back() = copy_on_cpu(in, dtype);
      continue;
    }
    copied.push_back(in.weight);
    factors.push_back(in.factor);
    layouts.push_back(static_cast<std::int64_t>(in.layout));
  }
  if (copied.empty()) return result;
  const auto copies = ScaledCopies::apply(at::TensorList(copied), factors, layouts, dtype);
  auto copy = copies.begin();
  for (at::Tensor& place : result) {
    if (!place.defined()) place = *copy++;
  }
  return result;
}

}  // namespace ganscale::kernels
