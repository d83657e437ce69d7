#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Returns how far the filters of a weight are from orthogonal, whatever their lengths: the sum of
/// the squared products of all pairs of different filters, |W W^T * (1 - I)|^2.
///
/// Paper:   Brock et al. 2018, arXiv:1809.11096, Eq. (3); the public implementation takes half of
///          its gradient.
/// weight:  [out, ...], a filter a row.
/// Returns: a scalar, attached.
at::Tensor orthogonality_penalty(const at::Tensor& weight);

}  // namespace ganscale::losses
