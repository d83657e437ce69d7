#include "base/error.h"
#include "kernels/nonfinite/fill.h"

namespace ganscale::kernels {

void nonfinite_kernel(std::span<const NonfiniteArray>, const NonfiniteTask&, void*) {
  throw DeviceError("nonfinite on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
