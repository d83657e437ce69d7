#include "device/low_precision_sums.h"

#include <ATen/Context.h>

namespace ganscale::device {

void forbid_low_precision_sums() {
  at::globalContext().setAllowFP16ReductionCuBLAS(false);
  at::globalContext().setAllowBF16ReductionCuBLAS(false);
}

}  // namespace ganscale::device
