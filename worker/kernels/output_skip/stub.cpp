#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/output_skip/fill.h"

namespace ganscale::kernels {

void output_skip_kernel(const AnyOutputSkipArrays&, const OutputSkipTask&, void*) {
  refuse_without_cuda("output_skip");
}

}  // namespace ganscale::kernels
