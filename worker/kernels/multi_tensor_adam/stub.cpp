#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/multi_tensor_adam/fill.h"

namespace ganscale::kernels {

void multi_tensor_adam_kernel(std::span<const AdamArrays>, const AdamTask&, void*) {
  refuse_without_cuda("multi_tensor_adam");
}

}  // namespace ganscale::kernels
