#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/styled_activation/fill.h"

namespace ganscale::kernels {

void styled_activation_kernel(const AnyStyledArrays&, const StyledActivationTask&, void*) {
  refuse_without_cuda("styled_activation");
}
void styled_sums_kernel(const StyleArrays<const void*>&, const StyleSums&, const ImageLayout&,
                        void*) {
  refuse_without_cuda("styled_activation");
}

}  // namespace ganscale::kernels
