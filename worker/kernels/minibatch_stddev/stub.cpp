#include "base/error.h"
#include "kernels/minibatch_stddev/fill.h"

namespace ganscale::kernels {

void minibatch_stddev_kernel(const void*, void*, const StddevShape&, void*) {
  throw DeviceError("minibatch_stddev on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
