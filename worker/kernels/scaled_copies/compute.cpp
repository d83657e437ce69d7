#include "kernels/scaled_copies/compute.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/error.h"
#include "kernels/launch/on_device.h"
#include "kernels/scaled_copies/fill.h"

namespace ganscale::kernels {
namespace {

/// An axis of a weight; its kernel's axes count as one.
struct WeightAxis {
  std::int64_t size;
  std::int64_t stride;
  std::int64_t out_stride;
};

/// Returns the memory of what one tensor becomes, whose kernel has axes that can be one.
ScaledArray array_of(const CopyGradient& from, const at::Tensor& out) {
  const at::Tensor& in = from.of_copy;
  check(in.numel() <= std::numeric_limits<std::int32_t>::max(), "a weight has 2^31 elements");
  ScaledArray array{.out = out.mutable_data_ptr(),
                    .in = in.const_data_ptr(),
                    .factor = from.factor,
                    .element_count = static_cast<std::int32_t>(in.numel())};
  if (from.weight.defined()) {
    array.weight = from.weight.const_data_ptr();
    array.energy_gradient = from.of_energies.const_data_ptr();
    array.taps = static_cast<std::int32_t>(in.size(2) * in.size(3));
  }
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

void launch(const std::vector<CopyGradient>& in, const std::vector<at::Tensor>& out) {
  const ScaledCopyTask task{scalar_type_of(in.front().of_copy.scalar_type()),
                            scalar_type_of(out.front().scalar_type())};
  for (std::size_t begin = 0; begin < in.size(); begin += kMostScaledArrays) {
    const std::size_t count = std::min(in.size() - begin, kMostScaledArrays);
    const at::TensorList written(out.data() + begin, count);
    std::vector<at::Tensor> read;
    for (std::size_t i = begin; i < begin + count; ++i) {
      read.push_back(in[i].of_copy);
      if (!in[i].weight.defined()) continue;
      read.push_back(in[i].weight);
      read.push_back(in[i].of_energies);
    }
    launch_on_device("ganscale::scaled_copies", {read, written}, [&](void* stream) {
      std::vector<ScaledArray> arrays;
      for (std::size_t i = begin; i < begin + count; ++i) arrays.push_back(array_of(in[i], out[i]));
      scaled_copies_kernel(arrays, task, stream);
    });
  }
}

}  // namespace

std::vector<std::int64_t> CopiesForm::numbers() const {
  std::vector<std::int64_t> numbers = layouts;
  numbers.push_back(static_cast<std::int64_t>(dtype));
  for (const double factor : factors) numbers.push_back(std::bit_cast<std::int64_t>(factor));
  return numbers;
}

bool has_layout(const at::Tensor& weight, WeightLayout layout) {
  if (weight.dim() != 4 || layout == WeightLayout::kContiguous) return weight.is_contiguous();
  const bool is_transposed = layout == WeightLayout::kTransposedChannelsLast;
  return (is_transposed ? weight.transpose(0, 1) : weight)
      .is_contiguous(at::MemoryFormat::ChannelsLast);
}

bool is_as_wanted(const ScaledWeight& in, at::ScalarType dtype) {
  return in.factor == 1 && in.weight.scalar_type() == dtype && has_layout(in.weight, in.layout);
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

std::vector<at::Tensor> empty_copies(at::TensorList weights, const CopiesForm& form) {
  std::vector<at::Tensor> out;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    out.push_back(empty_copy(weights[i], form.dtype, static_cast<WeightLayout>(form.layouts[i])));
  }
  return out;
}

void copy_scaled(at::TensorList weights, const CopiesForm& form,
                 const std::vector<at::Tensor>& copies) {
  std::vector<CopyGradient> in;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    in.push_back({.of_copy = with_joined_kernel(weights[i]), .factor = form.factors[i]});
  }
  launch(in, copies);
}

std::vector<at::Tensor> gradients_of_weights(const std::vector<CopyGradient>& gradients) {
  std::vector<CopyGradient> in = gradients;
  std::vector<at::Tensor> out;
  for (CopyGradient& one : in) {
    one.of_copy = with_joined_kernel(one.of_copy);
    out.push_back(at::empty(one.weight.sizes(), one.weight.options()));
  }
  launch(in, out);
  return out;
}

}  // namespace ganscale::kernels
