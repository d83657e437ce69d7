#include "base/error.h"
#include "kernels/modulated_conv_fill.h"

namespace ganscale::kernels {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("modulated convolutions on a CUDA device need a build with GANSCALE_CUDA");
}

}  // namespace

void scale_channels_kernel(const ScaleArrays&, const ImageLayout&, void*) { refuse(); }
void dot_channels_kernel(const DotArrays&, const ImageLayout&, void*) { refuse(); }

}  // namespace ganscale::kernels
