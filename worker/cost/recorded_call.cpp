#include "cost/recorded_call.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ganscale::cost {
namespace {

using Tensors = std::vector<at::Tensor>;

void add_tensors(const c10::IValue& value, Tensors& tensors) {
  if (value.isTensor()) {
    if (value.toTensor().defined() && !value.toTensor().is_cpu())
      tensors.push_back(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) add_tensors(item, tensors);
  }
}

double bytes_of(const Tensors& tensors) {
  double bytes = 0;
  for (const at::Tensor& tensor : tensors) {
    auto count = static_cast<double>(tensor.element_size());
    for (std::int64_t i = 0; i < tensor.dim(); ++i) {
      if (tensor.stride(i) != 0) count *= static_cast<double>(tensor.size(i));
    }
    bytes += tensor.numel() > 0 ? count : 0;
  }
  return bytes;
}

Number number_of(const at::Tensor& tensor) {
  if (tensor.scalar_type() == at::kDouble) return Number::kFloat64;
  return c10::isReducedFloatingType(tensor.scalar_type()) ? Number::kLowPrecision
                                                          : Number::kFloat32;
}

/// Returns the operations of a convolution between `image` and `result`: of each element of the
/// result with a kernel, or of the image if it is transposed.
double convolution_flops(const at::Tensor& image, const at::Tensor& weight,
                         const at::Tensor& result, bool transposed) {
  const at::Tensor& each = transposed ? image : result;
  return 2.0 * static_cast<double>(each.numel()) *
         static_cast<double>(weight.numel() / weight.size(0));
}

std::vector<Operation> of_convolution(const RecordedCall& call) {
  const at::Tensor& image = call.arguments[0].toTensor();
  const at::Tensor& weight = call.arguments[1].toTensor();
  const at::Tensor& result = call.outputs[0].toTensor();
  const bool transposed = call.arguments[6].toBool();
  return {{.name = call.name,
           .kind = transposed ? Kind::kDataGradient : Kind::kConvolution,
           .number = number_of(image),
           .flops = convolution_flops(image, weight, result, transposed),
           .bytes = bytes_of({image, weight, result})}};
}

std::vector<Operation> of_convolution_gradients(const RecordedCall& call) {
  const at::Tensor& result = call.arguments[0].toTensor();
  const at::Tensor& image = call.arguments[1].toTensor();
  const at::Tensor& weight = call.arguments[2].toTensor();
  const bool transposed = call.arguments[7].toBool();
  const auto wanted = call.arguments[10].toBoolList();
  // Of the three, each gradient is computed from two, and is as large as the third.
  Operation gradient{.name = call.name,
                     .number = number_of(image),
                     .flops = convolution_flops(image, weight, result, transposed),
                     .bytes = bytes_of({image, weight, result})};
  std::vector<Operation> operations;
  if (wanted.get(0)) {
    // The transpose of a transposed convolution is a plain one.
    gradient.kind = transposed ? Kind::kConvolution : Kind::kDataGradient;
    operations.push_back(gradient);
  }
  if (wanted.get(1)) {
    gradient.kind = Kind::kWeightGradient;
    operations.push_back(gradient);
  }
  return operations;
}

/// Of the arguments `first` and the one after it; all of them are read.
std::vector<Operation> of_product(const RecordedCall& call, std::size_t first) {
  const at::Tensor& left = call.arguments[first].toTensor();
  const at::Tensor& right = call.arguments[first + 1].toTensor();
  const std::int64_t columns = right.dim() == 1 ? 1 : right.size(-1);
  return {{.name = call.name,
           .kind = Kind::kMatrixProduct,
           .number = number_of(left),
           .flops = 2.0 * static_cast<double>(left.numel() * columns),
           .bytes = bytes_of(device_tensors_of(call.arguments)) +
                    bytes_of(device_tensors_of(call.outputs))}};
}

std::vector<Operation> of_first_product(const RecordedCall& call) { return of_product(call, 0); }
std::vector<Operation> of_second_product(const RecordedCall& call) { return of_product(call, 1); }

std::vector<Operation> of_host_read(const RecordedCall& call) {
  return {{.name = call.name, .kind = Kind::kHostRead}};
}

std::vector<Operation> of_nothing(const RecordedCall& /*call*/) { return {}; }

std::vector<Operation> of_own_kernel(const RecordedCall& call) {
  return {{.name = call.name,
           .number = number_of(call.outputs[0].toTensor()),
           .bytes = bytes_of(device_tensors_of(call.arguments)) +
                    bytes_of(device_tensors_of(call.outputs))}};
}

std::vector<Operation> of_all_reduce(const RecordedCall& call) {
  return {{.name = call.name,
           .kind = Kind::kAllReduce,
           .bytes = bytes_of(device_tensors_of(call.arguments))}};
}

/// Operators that do not follow the general rule: a line each.
struct Special {
  std::string_view name;
  std::vector<Operation> (*operations)(const RecordedCall& call);
};

constexpr std::array<Special, 13> kSpecial = {{
    {"ganscale::all_reduce", of_all_reduce},
    {"aten::convolution", of_convolution},
    {"aten::convolution_backward", of_convolution_gradients},
    {"aten::mm", of_first_product},
    {"aten::bmm", of_first_product},
    {"aten::addmm", of_second_product},
    {"aten::baddbmm", of_second_product},
    {"aten::addmv", of_second_product},
    {"aten::_local_scalar_dense", of_host_read},
    {"aten::resize_", of_nothing},
    {"aten::set_", of_nothing},
    {"aten::detach_", of_nothing},
    {"aten::requires_grad_", of_nothing},
}};

/// Operators that do not read the argument that they write.
constexpr std::array<std::string_view, 3> kOverwriting = {"aten::copy_", "aten::fill_",
                                                          "aten::zero_"};

bool writes(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

bool is_view(const RecordedCall& call, const Tensors& arguments, const Tensors& results) {
  if (call.schema->is_mutable()) return false;
  return std::ranges::any_of(results, [&](const at::Tensor& result) {
    return std::ranges::any_of(arguments,
                               [&](const at::Tensor& one) { return result.is_alias_of(one); });
  });
}

/// The memory that an operator of ATen reads and writes.
struct Traffic {
  Tensors read;
  Tensors written;
};

Traffic traffic_of(const RecordedCall& call) {
  Traffic traffic{.read = {}, .written = device_tensors_of(call.outputs)};
  const bool returns_nothing = traffic.written.empty();
  const bool overwrites = std::ranges::find(kOverwriting, call.name) != kOverwriting.end();
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const c10::Argument& argument = call.schema->arguments()[i];
    if (writes(argument) && returns_nothing) add_tensors(call.arguments[i], traffic.written);
    const bool is_read = !(writes(argument) && (overwrites || argument.is_out()));
    if (is_read) add_tensors(call.arguments[i], traffic.read);
  }
  return traffic;
}

/// Returns the launches of an update of lists of tensors: a launch takes several tensors, by the
/// number of lists, and 320 blocks of 65,536 elements.
///
/// Source: LibTorch, ATen/native/cuda/MultiTensorApply.cuh.
int fused_launches(const RecordedCall& call) {
  constexpr std::array<double, 5> kMostTensors = {110, 64, 48, 36, 30};
  constexpr double kElementsOfBlock = 65536;
  constexpr double kMostBlocks = 320;
  const auto is_list = [](const c10::IValue& value) { return value.isTensorList(); };
  const auto depth = static_cast<std::size_t>(std::ranges::count_if(call.arguments, is_list));
  const Tensors tensors = device_tensors_of({call.arguments[0]});
  double blocks = 0;
  for (const at::Tensor& tensor : tensors) {
    blocks += std::ceil(static_cast<double>(tensor.numel()) / kElementsOfBlock);
  }
  const double most = kMostTensors[std::clamp<std::size_t>(depth, 1, kMostTensors.size()) - 1];
  return static_cast<int>(std::max(std::ceil(static_cast<double>(tensors.size()) / most),
                                   std::ceil(blocks / kMostBlocks)));
}

/// Returns whether a call of ATen gives the device nothing, apart from what it calls in turn.
bool is_free(const RecordedCall& call, const Traffic& traffic) {
  if (call.has_operations_inside && !is_fused(call)) return true;
  if (traffic.written.empty() || bytes_of(traffic.written) == 0) return true;
  return call.name.find("empty") != std::string::npos ||
         is_view(call, device_tensors_of(call.arguments), traffic.written);
}

}  // namespace

std::vector<at::Tensor> device_tensors_of(const std::vector<c10::IValue>& values) {
  Tensors tensors;
  for (const c10::IValue& value : values) add_tensors(value, tensors);
  return tensors;
}

std::optional<ProductCall> product_of(const RecordedCall& call) {
  const auto tensor = [&](std::size_t i) { return call.arguments[i].toTensor(); };
  if (call.name == "aten::convolution") {
    return ProductCall{tensor(0), tensor(1), call.outputs[0].toTensor(),
                       call.arguments[6].toBool()};
  }
  const bool is_sum = call.name == "aten::addmm";
  if (!is_sum && call.name != "aten::mm") return std::nullopt;
  const std::size_t first = is_sum ? 1 : 0;
  return ProductCall{tensor(first), tensor(first + 1), call.outputs[0].toTensor()};
}

bool is_fused(const RecordedCall& call) { return call.name.starts_with("aten::_foreach_"); }

std::vector<Operation> operations_of(const RecordedCall& call) {
  if (device_tensors_of(call.arguments).empty() && device_tensors_of(call.outputs).empty())
    return {};
  const auto special = std::ranges::find(kSpecial, call.name, &Special::name);
  if (special != kSpecial.end()) return special->operations(call);
  if (call.name.starts_with("ganscale::")) return of_own_kernel(call);
  if (!call.schema) return {};
  const Traffic traffic = traffic_of(call);
  if (is_free(call, traffic)) return {};
  return {{.name = call.name,
           .number = number_of(traffic.written.front()),
           .bytes = bytes_of(traffic.read) + bytes_of(traffic.written),
           .launches = is_fused(call) ? fused_launches(call) : 1}};
}

}  // namespace ganscale::cost
