#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "kernels/launch/scalar_type.h"
#include "support/host_grid/cuda_runtime.h"

namespace ganscale::kernels {

/// A type that kernels take: what lies in memory, and how far from the reference the rounding of a
/// few operations may lead, as a share of the largest number.
struct KernelType {
  ScalarType type;
  at::ScalarType dtype;
  double tolerance;
};

constexpr KernelType kFloat32{ScalarType::kFloat32, at::kFloat, 1e-6};
constexpr KernelType kFloat64{ScalarType::kFloat64, at::kDouble, 1e-14};
constexpr KernelType kFloat16{ScalarType::kFloat16, at::kHalf, 1e-3};
constexpr KernelType kBFloat16{ScalarType::kBFloat16, at::kBFloat16, 8e-3};

inline auto every_type() { return testing::Values(kFloat32, kFloat64, kFloat16, kBFloat16); }

inline std::string name_of_type(const testing::TestParamInfo<KernelType>& info) {
  return c10::toString(info.param.dtype);
}

class KernelOnHost : public testing::TestWithParam<KernelType> {
 protected:
  void SetUp() override { at::manual_seed(1); }

  /// Random numbers as the type under test holds them.
  static at::Tensor numbers(at::IntArrayRef shape) {
    return at::randn(shape, at::kDouble).to(GetParam().dtype);
  }
  /// The same numbers in a type that references take.
  static at::Tensor wide(const at::Tensor& tensor) {
    return is_low_precision(GetParam().type) ? tensor.to(at::kFloat) : tensor;
  }
  static ScalarType wide_type() {
    return is_low_precision(GetParam().type) ? ScalarType::kFloat32 : GetParam().type;
  }

  static void expect_close(const at::Tensor& kernel, const at::Tensor& reference) {
    const auto expected = reference.to(at::kDouble);
    const double error = (kernel.to(at::kDouble) - expected).abs().max().item<double>();
    EXPECT_LE(error, GetParam().tolerance * expected.abs().max().item<double>());
  }
};

}  // namespace ganscale::kernels
