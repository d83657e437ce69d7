#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

/// Products of several matrices that are too small to keep a device busy one by one: one
/// launch for all of them.
namespace ganscale::kernels {

/// Matrices, and which columns of x each is multiplied with.
struct GroupedMatrices {
  std::vector<at::Tensor> matrices;  ///< [out_i, in_i] of x's dtype, float32 or float64
  std::vector<std::int64_t> first_columns;
};

/// Returns x[:, first_i ... first_i + in_i] * matrix_i^T of each, side by side: [N, sum of out_i];
/// differentiable as often as needed. Some may take the same columns; columns of two that overlap
/// otherwise are a bug.
///
/// x: [N, in].
at::Tensor grouped_products(const at::Tensor& x, const GroupedMatrices& by);

}  // namespace ganscale::kernels
