#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ganscale::optim {

/// Returns the Euclidean norm of each tensor: [n], on the tensors' device, without waiting for it.
/// On a CPU the bits do not depend on the number of threads, and so of ranks.
///
/// tensors: dense, in any order of strides, of one dtype and device, at least one; none is empty.
at::Tensor norms_of(const std::vector<at::Tensor>& tensors);

/// trust = coefficient * |w| / (|u| + weight_decay * |w| + epsilon), and 1 if either norm is 0.
struct TrustRule {
  double coefficient = 1;
  double weight_decay = 0;
  double epsilon = 0;
};

/// Returns the factor of each tensor's update by the norms of its weights w and of its update u:
/// scalars on the tensors' device, without waiting for it.
///
/// Papers: You et al. 2017, arXiv:1708.03888, Eq. (6) (LARS); You et al. 2020, arXiv:1904.00962,
///         Algorithm 2 (LAMB: TrustRule{}).
/// weights, updates: of the same length and shapes, at least one tensor.
std::vector<at::Tensor> trust_ratios(const std::vector<at::Tensor>& weights,
                                     const std::vector<at::Tensor>& updates,
                                     const TrustRule& rule = {});

}  // namespace ganscale::optim
