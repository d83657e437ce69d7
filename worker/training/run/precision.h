#pragma once

#include <ATen/core/Tensor.h>

#include "training/run/training_config.h"

namespace ganscale::training {

/// Returns the dtype of parameters, gradients and optimizer state.
inline at::ScalarType parameter_dtype(Precision precision) {
  return precision == Precision::kFp64 ? at::kDouble : at::kFloat;
}

/// Returns whether TF32 is allowed for float32.
inline bool allows_tf32(Precision precision) {
  return precision == Precision::kTf32 || precision == Precision::kBf16 ||
         precision == Precision::kFp16;
}

/// Enables autocast to bf16 for this thread in a scope. Does nothing for other precisions.
class Autocast {
 public:
  Autocast(Precision precision, at::DeviceType device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
  at::DeviceType device_;
};

}  // namespace ganscale::training
