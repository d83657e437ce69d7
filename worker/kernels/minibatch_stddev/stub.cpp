#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/minibatch_stddev/fill.h"

namespace ganscale::kernels {

void minibatch_stddev_kernel(const void*, void*, const StddevShape&, void*) {
  refuse_without_cuda("minibatch_stddev");
}

}  // namespace ganscale::kernels
