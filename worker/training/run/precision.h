#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "training/run/training_config.h"

namespace ganscale::models {
struct ModelConfig;
}

namespace ganscale::training {

/// Returns the dtype of parameters, gradients and optimizer state.
inline at::ScalarType parameter_dtype(Precision precision) {
  return precision == Precision::kFp64 ? at::kDouble : at::kFloat;
}

/// Returns float16 or bfloat16 for a precision that asks for one. The model chooses where.
inline std::optional<at::ScalarType> low_precision_type(Precision precision) {
  if (precision == Precision::kFp16) return at::kHalf;
  if (precision == Precision::kBf16) return at::kBFloat16;
  return std::nullopt;
}

/// Returns whether TF32 is allowed for float32.
inline bool allows_tf32(Precision precision) {
  return precision == Precision::kTf32 || low_precision_type(precision).has_value();
}

/// Returns what computes in what, for the log: "bf16 from 8x8 pixels on, else tf32".
std::string describe_precision(Precision precision, const models::ModelConfig& model);

}  // namespace ganscale::training
