#pragma once

namespace ganscale::kernels {

/// The element types of kernels that support reduced precision. Their contracts pass memory as void
/// pointers, since CUDA's and LibTorch's low-precision types differ.
enum class ScalarType { kFloat32, kFloat64, kFloat16, kBFloat16 };

/// Returns whether kernels compute this type in float32; references do not take it.
constexpr bool is_low_precision(ScalarType type) {
  return type == ScalarType::kFloat16 || type == ScalarType::kBFloat16;
}

}  // namespace ganscale::kernels
