#include "base/error.h"
#include "kernels/bias_act/fill.h"

namespace ganscale::kernels {

void bias_act_kernel(const BiasActArrays&, const BiasActTask&, void*) {
  throw DeviceError("bias_act on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
