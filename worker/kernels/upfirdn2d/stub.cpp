#include "base/error.h"
#include "kernels/upfirdn2d/fill.h"

namespace ganscale::kernels {

void upfirdn2d_kernel(const UpfirdnMemory&, const UpfirdnShape&, void*) {
  throw DeviceError("upfirdn2d on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
