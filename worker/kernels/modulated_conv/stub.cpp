#include "base/error.h"
#include "kernels/modulated_conv/fill.h"

namespace ganscale::kernels {
namespace {

[[noreturn]] void refuse_without_cuda() {
  throw DeviceError("modulated convolutions on a CUDA device need a build with GANSCALE_CUDA");
}

}  // namespace

void scale_channels_kernel(const ScaleArrays&, const ImageLayout&, void*) { refuse_without_cuda(); }
void dot_channels_kernel(const DotArrays&, const ImageLayout&, void*) { refuse_without_cuda(); }

}  // namespace ganscale::kernels
