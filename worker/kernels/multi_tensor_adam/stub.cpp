#include "base/error.h"
#include "kernels/multi_tensor_adam/fill.h"

namespace ganscale::kernels {

void multi_tensor_adam_kernel(std::span<const AdamArrays>, const AdamTask&, void*) {
  throw DeviceError("multi_tensor_adam on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
