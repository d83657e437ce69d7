#include "base/error.h"
#include "kernels/scaled_copies/fill.h"

namespace ganscale::kernels {

void scaled_copies_kernel(std::span<const ScaledArray>, const ScaledCopyTask&, void*) {
  throw DeviceError("scaled_copies on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
