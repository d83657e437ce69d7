#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace ganscale::parity {

/// How and where our code computes what it compares.
struct Arithmetic {
  std::string name;  ///< as training.precision: fp64, fp32, tf32, bf16, fp16
  at::ScalarType type = at::kDouble;
  at::Device device = at::kCPU;
  bool tf32 = false;  ///< products of float32 round their factors
  std::optional<at::ScalarType> low_precision_type = {};  ///< of all of StyleGAN2's layers
  double roundoff = 0;  ///< of tf32 and low precision: half the distance from 1 to the next number

  bool is_float64() const { return type == at::kDouble; }
  bool is_low_precision() const { return low_precision_type.has_value(); }
  at::Tensor operator()(const at::Tensor& stored) const { return stored.to(device, type); }
  /// Returns what a layer takes.
  at::Tensor in_layer(const at::Tensor& stored) const {
    return (*this)(stored).to(low_precision_type.value_or(type));
  }
};

/// Throws ConfigError for a name that is none, for tf32 on the CPU and for a GPU that is not there.
std::vector<Arithmetic> arithmetics_of(const std::vector<std::string>& names, bool on_gpu);

}  // namespace ganscale::parity
