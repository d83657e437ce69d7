#include "base/error.h"
#include "kernels/output_skip/fill.h"

namespace ganscale::kernels {
namespace {

[[noreturn]] void refuse_output_skip() {
  throw DeviceError("output_skip on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace

void output_skip_kernel(const OutputSkipArrays&, const OutputSkipTask&, void*) {
  refuse_output_skip();
}

void output_skip_kernel(const OutputSkipGradientArrays&, const OutputSkipTask&, void*) {
  refuse_output_skip();
}

void output_skip_kernel(const OutputSkipSecondGradientArrays&, const OutputSkipTask&, void*) {
  refuse_output_skip();
}

}  // namespace ganscale::kernels
