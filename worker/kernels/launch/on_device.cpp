#include "kernels/launch/on_device.h"

#include <ATen/record_function.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include "base/error.h"
#include "kernels/launch/kernel_path.h"

namespace ganscale::kernels {
namespace {

std::vector<c10::IValue> values_of(at::TensorList tensors) {
  return std::vector<c10::IValue>(tensors.begin(), tensors.end());
}

}  // namespace

ScalarType scalar_type_of(at::ScalarType dtype) {
  if (dtype == at::kFloat) return ScalarType::kFloat32;
  if (dtype == at::kDouble) return ScalarType::kFloat64;
  if (dtype == at::kHalf) return ScalarType::kFloat16;
  check(dtype == at::kBFloat16, "a kernel takes float32, float64, float16 and bfloat16");
  return ScalarType::kBFloat16;
}

void launch_on_device(const char* name, const KernelTensors& tensors,
                      const std::function<void(void* cuda_stream)>& compute) {
  at::RecordFunction record(at::RecordScope::FUNCTION);
  if (record.isActive()) {
    const auto read = values_of(tensors.read);
    record.before(name, &read);
    record.setOutputs(values_of(tensors.written));
  }
  const at::Device device = tensors.written.front().device();
  if (!device.is_meta()) on_stream_of(device, compute);
}

at::Tensor in_dense_layout(const at::Tensor& tensor) {
  const bool is_channels_last =
      tensor.dim() == 4 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast);
  return is_channels_last ? tensor : tensor.contiguous();
}

at::Tensor in_layout_of(const at::Tensor& tensor, const at::Tensor& model) {
  if (model.is_contiguous()) return tensor.contiguous();
  return tensor.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor sent_to(at::Device device, const at::Tensor& on_host) {
  if (!device.is_cuda()) return on_host.to(device);
  // Pinned memory returns to its pool once the device has read it.
  return on_host.pin_memory().to(device, /*non_blocking=*/true);
}

double stored_as(at::ScalarType dtype, double number) {
  const auto single = static_cast<float>(number);
  switch (dtype) {
    case at::kHalf: return static_cast<float>(c10::Half(single));
    case at::kBFloat16: return static_cast<float>(c10::BFloat16(single));
    case at::kFloat: return single;
    default: return number;
  }
}

at::Tensor upcast(const at::Tensor& tensor) {
  const bool is_low_precision = tensor.defined() && (tensor.scalar_type() == at::kHalf ||
                                                     tensor.scalar_type() == at::kBFloat16);
  return is_low_precision ? tensor.to(at::kFloat) : tensor;
}

bool is_low_precision_on_cpu(const at::Tensor& tensor) {
  return !takes_kernels(tensor) && is_low_precision(scalar_type_of(tensor.scalar_type()));
}

}  // namespace ganscale::kernels
