#include "cost/shape_operators.h"

#include <ATen/ExpandUtils.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/result_type.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ganscale::cost {
namespace {

using Stack = torch::jit::Stack;
using Sizes = std::vector<std::int64_t>;

const at::Tensor& tensor_at(const Stack& in, std::size_t i) { return in.at(i).toTensor(); }

bool flag_at(const Stack& in, std::size_t i, std::size_t which) {
  return in.at(i).toBoolList().get(which);
}

/// Returns entry `which` of the list of integers `i`; a list of one is the same for all.
std::int64_t entry_at(const Stack& in, std::size_t i, std::size_t which) {
  const auto list = in.at(i).toListRef();
  return list[list.size() == 1 ? 0 : which].toInt();
}

c10::IValue like(const at::Tensor& tensor) { return at::empty_like(tensor); }

c10::IValue blank(const Sizes& sizes, const at::Tensor& model) {
  return at::empty(sizes, model.options());
}

c10::IValue if_wanted(bool is_wanted, const c10::IValue& value) {
  return is_wanted ? value : c10::IValue(at::Tensor());
}

at::MemoryFormat convolution_layout(const at::Tensor& x, const at::Tensor& weight) {
  const bool is_channels_last = x.suggest_memory_format() == at::MemoryFormat::ChannelsLast ||
                                weight.suggest_memory_format() == at::MemoryFormat::ChannelsLast;
  return is_channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
}

c10::IValue blank(const Sizes& sizes, const at::Tensor& model, at::MemoryFormat layout) {
  return at::empty(sizes, model.options().memory_format(layout));
}

/// x, weight, bias, stride, padding, dilation, transposed, output_padding, groups.
Stack convolution(const Stack& in) {
  const at::Tensor& x = tensor_at(in, 0);
  const at::Tensor& weight = tensor_at(in, 1);
  const bool transposed = in.at(6).toBool();
  const at::MemoryFormat layout = convolution_layout(x, weight);
  x.contiguous(layout);
  weight.contiguous(layout);
  Sizes sizes = {x.size(0), transposed ? weight.size(1) * in.at(8).toInt() : weight.size(0)};
  for (std::int64_t axis = 2; axis < x.dim(); ++axis) {
    const auto which = static_cast<std::size_t>(axis - 2);
    const std::int64_t stride = entry_at(in, 3, which);
    const std::int64_t reach =
        entry_at(in, 5, which) * (weight.size(axis) - 1) - 2 * entry_at(in, 4, which);
    sizes.push_back(transposed ? (x.size(axis) - 1) * stride + reach + entry_at(in, 7, which) + 1
                               : (x.size(axis) - reach - 1) / stride + 1);
  }
  return {blank(sizes, x, layout)};
}

/// gradient, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups,
/// the gradients wanted.
Stack convolution_backward(const Stack& in) {
  const at::Tensor& gradient = tensor_at(in, 0);
  const at::Tensor& x = tensor_at(in, 1);
  const at::Tensor& weight = tensor_at(in, 2);
  const at::MemoryFormat layout = convolution_layout(x, weight);
  gradient.contiguous(layout);
  if (flag_at(in, 10, 0)) weight.contiguous(layout);
  if (flag_at(in, 10, 1)) x.contiguous(layout);
  return {if_wanted(flag_at(in, 10, 0), blank(x.sizes().vec(), x, layout)),
          if_wanted(flag_at(in, 10, 1), blank(weight.sizes().vec(), weight, layout)),
          if_wanted(flag_at(in, 10, 2), blank({gradient.size(1)}, gradient))};
}

Stack value_on_host(const Stack& in) {
  if (at::isFloatingType(tensor_at(in, 0).scalar_type())) return {at::Scalar(0.0)};
  return {at::Scalar(0)};
}

Stack flags_like_the_first(const Stack& in) {
  return {at::empty_like(tensor_at(in, 0), at::kBool)};
}

Stack flags_like_both(const Stack& in) {
  const auto sizes = at::infer_size(tensor_at(in, 0).sizes(), tensor_at(in, 1).sizes());
  return {at::empty(sizes, tensor_at(in, 0).options().dtype(at::kBool))};
}

/// condition, one, other.
Stack where(const Stack& in) {
  const at::Tensor& condition = tensor_at(in, 0);
  const auto sizes = at::infer_size(at::infer_size(condition.sizes(), tensor_at(in, 1).sizes()),
                                    tensor_at(in, 2).sizes());
  const auto dtype = at::result_type(tensor_at(in, 1), tensor_at(in, 2));
  return {at::empty(sizes, condition.options().dtype(dtype))};
}

/// x, axis, index.
Stack index_select(const Stack& in) {
  const at::Tensor& x = tensor_at(in, 0);
  Sizes sizes = x.sizes().vec();
  const std::int64_t axis = in.at(1).toInt();
  sizes.at(static_cast<std::size_t>(axis < 0 ? axis + x.dim() : axis)) = tensor_at(in, 2).numel();
  return {blank(sizes, x)};
}

Stack like_the_first(const Stack& in) { return {like(tensor_at(in, 0))}; }
Stack the_first(const Stack& in) { return {in.at(0)}; }
Stack like_the_second(const Stack& in) { return {like(tensor_at(in, 1))}; }
Stack scalar(const Stack& in) { return {blank({}, tensor_at(in, 0))}; }

/// x, grid, how.
Stack grid_sampler(const Stack& in) {
  const at::Tensor& x = tensor_at(in, 0);
  const at::Tensor& grid = tensor_at(in, 1);
  return {blank({x.size(0), x.size(1), grid.size(1), grid.size(2)}, x)};
}

/// gradient, x, grid, how, the gradients wanted.
Stack grid_sampler_backward(const Stack& in) {
  return {if_wanted(flag_at(in, 6, 0), like(tensor_at(in, 1))), like(tensor_at(in, 2))};
}

/// x, padding.
Stack reflection_pad(const Stack& in) {
  Sizes sizes = tensor_at(in, 0).sizes().vec();
  sizes[sizes.size() - 1] += entry_at(in, 1, 0) + entry_at(in, 1, 1);
  sizes[sizes.size() - 2] += entry_at(in, 1, 2) + entry_at(in, 1, 3);
  return {blank(sizes, tensor_at(in, 0))};
}

/// x, weight, bias, running_mean, running_var, is_training, momentum, epsilon.
Stack batch_norm(const Stack& in) {
  const at::Tensor& x = tensor_at(in, 0);
  const Sizes moments = {in.at(5).toBool() ? x.size(1) : 0};
  return {like(x), blank(moments, x), blank(moments, x)};
}

/// gradient, x, weight, running_mean, running_var, saved_mean, saved_invstd, is_training, epsilon,
/// the gradients wanted.
Stack batch_norm_backward(const Stack& in) {
  const at::Tensor& x = tensor_at(in, 1);
  const Sizes channels = {x.size(1)};
  return {if_wanted(flag_at(in, 9, 0), like(x)), if_wanted(flag_at(in, 9, 1), blank(channels, x)),
          if_wanted(flag_at(in, 9, 2), blank(channels, x))};
}

/// gradient, indices, count.
Stack embedding_backward(const Stack& in) {
  const at::Tensor& gradient = tensor_at(in, 0);
  return {blank({in.at(2).toInt(), gradient.size(-1)}, gradient)};
}

/// Of an operator that only writes to its arguments.
Stack nothing(const Stack& /*in*/) { return {}; }

/// What an operator returns for its arguments: a line each.
struct ShapeOperator {
  const char* name;
  Stack (*results)(const Stack& arguments);
};

constexpr std::array<ShapeOperator, 20> kOperators = {{
    {"aten::_fused_sgd_", nothing},
    {"aten::_local_scalar_dense", value_on_host},
    {"aten::abs", like_the_first},
    {"aten::convolution", convolution},
    {"aten::convolution_backward", convolution_backward},
    {"aten::dot", scalar},
    {"aten::embedding_dense_backward", embedding_backward},
    {"aten::flip", like_the_first},
    {"aten::grid_sampler_2d", grid_sampler},
    {"aten::grid_sampler_2d_backward", grid_sampler_backward},
    {"aten::index_select", index_select},
    {"aten::logical_and", flags_like_both},
    {"aten::logical_not", flags_like_the_first},
    {"aten::native_batch_norm", batch_norm},
    {"aten::native_batch_norm_backward", batch_norm_backward},
    {"aten::reflection_pad2d", reflection_pad},
    {"aten::reflection_pad2d_backward", like_the_second},
    {"aten::relu", like_the_first},
    {"aten::relu_", the_first},
    {"aten::where.self", where},
}};

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

/// Runs the line of an operator.
void run(const c10::OperatorHandle& handle, Stack* stack) {
  const std::string name = full_name(handle.operator_name());
  const auto* const line = std::ranges::find(kOperators, name, &ShapeOperator::name);
  check(line != kOperators.end(), "an operator without a line was registered");
  const Stack arguments = torch::jit::pop(*stack, handle.schema().arguments().size());
  for (const c10::IValue& result : line->results(arguments)) stack->push_back(result);
}

}  // namespace

ShapeOperators::ShapeOperators()
    : library_(torch::Library::IMPL, "aten", c10::DispatchKey::Meta, __FILE__, __LINE__) {
  for (const ShapeOperator& line : kOperators) {
    library_.impl(line.name, torch::CppFunction::makeFromBoxedFunction<&run>());
  }
}

}  // namespace ganscale::cost
