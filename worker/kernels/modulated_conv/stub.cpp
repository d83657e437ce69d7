#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/modulated_conv/fill.h"

namespace ganscale::kernels {

void scale_channels_kernel(const ScaleArrays&, const ImageLayout&, void*) {
  refuse_without_cuda("modulated_conv");
}
void dot_channels_kernel(const DotArrays&, const ImageLayout&, void*) {
  refuse_without_cuda("modulated_conv");
}

}  // namespace ganscale::kernels
