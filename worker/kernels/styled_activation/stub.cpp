#include "base/error.h"
#include "kernels/styled_activation/fill.h"

namespace ganscale::kernels {
namespace {

[[noreturn]] void refuse_styled_activation() {
  throw DeviceError("styled_activation on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace

void styled_activation_kernel(const StyledActivationArrays&, const StyledActivationTask&, void*) {
  refuse_styled_activation();
}
void styled_activation_kernel(const StyledGradientArrays&, const StyledActivationTask&, void*) {
  refuse_styled_activation();
}
void styled_activation_kernel(const StyledSecondGradientArrays&, const StyledActivationTask&,
                              void*) {
  refuse_styled_activation();
}
void styled_sums_kernel(const StyleArrays<const void*>&, const StyleSums&, const ImageLayout&,
                        void*) {
  refuse_styled_activation();
}

}  // namespace ganscale::kernels
