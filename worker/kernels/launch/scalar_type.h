#pragma once

namespace ganscale::kernels {

/// The element types of kernels that work in reduced precision too. Their contracts pass memory as
/// void pointers, since CUDA's and LibTorch's names for the low-precision types differ.
enum class ScalarType { kFloat32, kFloat64, kFloat16, kBFloat16 };

/// Whether references do not take the type, and kernels compute it in float32.
constexpr bool is_low_precision(ScalarType type) {
  return type == ScalarType::kFloat16 || type == ScalarType::kBFloat16;
}

}  // namespace ganscale::kernels
