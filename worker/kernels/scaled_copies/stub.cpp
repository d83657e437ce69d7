#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/scaled_copies/fill.h"

namespace ganscale::kernels {

void scaled_copies_kernel(std::span<const ScaledArray>, const ScaledCopyTask&, void*) {
  refuse_without_cuda("scaled_copies");
}

}  // namespace ganscale::kernels
