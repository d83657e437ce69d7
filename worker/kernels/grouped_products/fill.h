#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/launch/scalar_type.h"

/// How grouped_products() computes: plain pointers.
namespace ganscale::kernels {

/// A matrix in memory; strides in elements.
struct MatrixView {
  const void* data = nullptr;
  std::int32_t row_stride = 0;
  std::int32_t column_stride = 0;
};

/// left * right.
struct ProductTerm {
  MatrixView left;
  MatrixView right;
  std::int32_t depth = 0;  ///< columns of `left`, rows of `right`
};

/// A matrix that is the sum of some terms; of none, zero. Its columns follow one another.
struct ProductPlace {
  void* out = nullptr;
  std::int32_t row_stride = 0;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t first_term = 0;
  std::int32_t term_count = 0;
};

/// Of a launch, whose arguments fill at most 4 KiB.
constexpr std::size_t kMostProductPlaces = 40;
constexpr std::size_t kMostProductTerms = 40;

/// Writes all places in device memory, in `cuda_stream` (a cudaStream_t) of the current device: one
/// launch. Sums are in float32, of float64 in float64, in an order that never changes. Throws
/// DeviceError if it fails, and in a build without CUDA.
///
/// type: kFloat32 or kFloat64.
void grouped_products_kernel(std::span<const ProductPlace> places,
                             std::span<const ProductTerm> terms, ScalarType type,
                             void* cuda_stream);

}  // namespace ganscale::kernels
