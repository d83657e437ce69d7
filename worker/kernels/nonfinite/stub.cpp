#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/nonfinite/fill.h"

namespace ganscale::kernels {

void nonfinite_kernel(std::span<const NonfiniteArray>, const NonfiniteTask&, void*) {
  refuse_without_cuda("nonfinite");
}

}  // namespace ganscale::kernels
