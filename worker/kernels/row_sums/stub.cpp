#include "base/error.h"
#include "kernels/row_sums/fill.h"

namespace ganscale::kernels {

void row_sums_kernel(const RowSums&, void*) {
  throw DeviceError("row_sums on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
