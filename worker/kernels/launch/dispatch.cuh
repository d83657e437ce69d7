#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/launch/scalar_type.h"

namespace ganscale::kernels {

/// Calls `compute`, a template lambda without arguments, with the type in memory and the one to
/// compute in, which is float32 for a type of low precision.
template <class Compute>
void dispatch_all_types(ScalarType type, const Compute& compute) {
  switch (type) {
    case ScalarType::kFloat32: return compute.template operator()<float, float>();
    case ScalarType::kFloat64: return compute.template operator()<double, double>();
    case ScalarType::kFloat16: return compute.template operator()<__half, float>();
    case ScalarType::kBFloat16: return compute.template operator()<__nv_bfloat16, float>();
  }
}

}  // namespace ganscale::kernels
