#pragma once

#include <ATen/core/Tensor.h>

#include "training/run/training_config.h"

namespace ganscale::training {

/// The dtype of parameters, gradients and optimizer state.
inline at::ScalarType parameter_dtype(Precision precision) {
  return precision == Precision::kFp64 ? at::kDouble : at::kFloat;
}

/// Whether matrix units may round float32 inputs to TF32.
inline bool allows_tf32(Precision precision) {
  return precision == Precision::kTf32 || precision == Precision::kBf16 ||
         precision == Precision::kFp16;
}

/// While it lives, the forward passes of this thread run in bf16 where that is safe (autocast);
/// nothing for other precisions.
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
