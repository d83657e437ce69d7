#include "kernels/counter_random/fill.h"
#include "kernels/launch/refuse_without_cuda.h"

namespace ganscale::kernels {

void random_numbers_kernel(void*, const RandomRows&, const Distribution&, void*) {
  refuse_without_cuda("counter_random");
}

}  // namespace ganscale::kernels
