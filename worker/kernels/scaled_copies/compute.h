#pragma once

#include <cstdint>
#include <vector>

#include "kernels/scaled_copies/scaled_copies.h"

/// What autograd functions of scaled copies compute with, without a graph.
namespace ganscale::kernels {

/// How copies of weights differ from these.
struct CopiesForm {
  std::vector<double> factors;
  std::vector<std::int64_t> layouts;  ///< of WeightLayout
  at::ScalarType dtype;

  /// Returns all of it as numbers.
  std::vector<std::int64_t> numbers() const;
};

/// Returns whether a tensor lies in memory as a layout says.
bool has_layout(const at::Tensor& weight, WeightLayout layout);
/// Returns whether a weight is its own copy.
bool is_as_wanted(const ScaledWeight& in, at::ScalarType dtype);
/// Returns memory for the copy of a weight.
at::Tensor empty_copy(const at::Tensor& weight, at::ScalarType dtype, WeightLayout layout);
/// Returns memory for the copies of all.
std::vector<at::Tensor> empty_copies(at::TensorList weights, const CopiesForm& form);
/// Writes copies by one launch.
void copy_scaled(at::TensorList weights, const CopiesForm& form,
                 const std::vector<at::Tensor>& copies);

/// The gradients of a weight's copy and of its energies.
struct CopyGradient {
  at::Tensor of_copy;
  double factor = 1;
  at::Tensor weight = {};       ///< contiguous
  at::Tensor of_energies = {};  ///< contiguous, [out, in] of the weight's dtype
};
/// Returns the gradients of the weights, by one launch: factor * of_copy + 2 weight of_energies.
std::vector<at::Tensor> gradients_of_weights(const std::vector<CopyGradient>& gradients);

}  // namespace ganscale::kernels
