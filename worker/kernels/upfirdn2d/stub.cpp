#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/upfirdn2d/fill.h"

namespace ganscale::kernels {

void upfirdn2d_kernel(const UpfirdnMemory&, const UpfirdnShape&, void*) {
  refuse_without_cuda("upfirdn2d");
}

}  // namespace ganscale::kernels
