#pragma once

#include <ATen/core/Tensor.h>

#include "comm/group/group.h"

namespace ganscale::comm {

/// Returns the sum of `data` over the ranks of `group`, differentiable any number of times.
///
/// The gradient of data is the sum over the ranks of the gradients of the result, because every
/// rank's loss depends on every rank's data. After averaging over the ranks, a parameter's gradient
/// is the gradient of the mean loss. All ranks must run the same graph, forward and backward.
///
/// A synchronized batch norm computes its moments with it:
///
///   const auto count = static_cast<double>(x.numel() / channels * group.size());
///   const auto sum = [&](const at::Tensor& x) {
///     return differentiable_all_reduce(group, x.sum({0, 2, 3}, true));
///   };
///   const auto mean = sum(x) / count;
///   const auto variance = sum((x - mean).square()) / count;
///
/// Use a separate group (`world.split(0)`): the backward pass waits for this all-reduce, which must
/// not queue behind the large ones of gradients.
///
/// data:    any shape, float32 or float64, on a device of the group.
/// Returns: the same shape, attached to the graph if data is; for a single rank data itself.
at::Tensor differentiable_all_reduce(Group& group, const at::Tensor& data);

}  // namespace ganscale::comm
