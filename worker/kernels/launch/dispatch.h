#pragma once

#include <string>

#include "base/error.h"
#include "kernels/launch/scalar_type.h"

/// How contracts, which pass memory as void pointers, find the code of an element type.
namespace ganscale::kernels {

/// Calls `compute`, a template lambda without arguments, with float or double. Throws Error(kBug)
/// for a type of low precision.
///
/// what: computes, for the message.
template <class Compute>
void dispatch_full_precision(ScalarType type, const char* what, const Compute& compute) {
  check(!is_low_precision(type), std::string(what) + " takes float32 and float64");
  if (type == ScalarType::kFloat64) {
    compute.template operator()<double>();
  } else {
    compute.template operator()<float>();
  }
}

}  // namespace ganscale::kernels
