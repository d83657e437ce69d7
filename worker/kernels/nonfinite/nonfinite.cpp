#include "kernels/nonfinite/nonfinite.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/nonfinite/fill.h"

namespace ganscale::kernels {
namespace {

std::vector<NonfiniteArray> arrays_of(const std::vector<at::Tensor>& tensors) {
  std::vector<NonfiniteArray> arrays;
  for (const at::Tensor& tensor : tensors) {
    arrays.push_back({tensor.const_data_ptr(), tensor.numel()});
  }
  return arrays;
}

}  // namespace

at::Tensor nonfinite_flags(const std::vector<at::Tensor>& tensors) {
  check(!tensors.empty(), "nonfinite_flags takes at least one tensor");
  const at::Tensor& first = tensors.front();
  for (const at::Tensor& tensor : tensors) {
    check(tensor.scalar_type() == first.scalar_type() && tensor.device() == first.device() &&
              tensor.is_non_overlapping_and_dense(),
          "nonfinite_flags takes dense tensors of one dtype and device");
  }
  const auto count = static_cast<std::int64_t>(tensors.size());
  const at::Tensor flags = at::zeros({1 + count}, first.options().dtype(at::kFloat));
  const auto task_from = [&](std::int64_t begin) {
    auto* const any = flags.mutable_data_ptr<float>();
    return NonfiniteTask{scalar_type_of(first.scalar_type()), any, any + 1 + begin};
  };
  if (!takes_kernels(first)) {
    nonfinite_reference(arrays_of(tensors), task_from(0));
    return flags;
  }
  for (std::size_t begin = 0; begin < tensors.size(); begin += kMostNonfiniteArrays) {
    const auto end = std::min(begin + kMostNonfiniteArrays, tensors.size());
    const std::vector<at::Tensor> part(tensors.begin() + static_cast<std::ptrdiff_t>(begin),
                                       tensors.begin() + static_cast<std::ptrdiff_t>(end));
    launch_on_device("ganscale::nonfinite", {part, {flags}}, [&](void* stream) {
      nonfinite_kernel(arrays_of(part), task_from(static_cast<std::int64_t>(begin)), stream);
    });
  }
  return flags;
}

}  // namespace ganscale::kernels
