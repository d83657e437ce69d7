#pragma once

#include <ATen/core/Tensor.h>

#include "comm/group.h"

namespace ganscale::comm {

/// Returns the sum of `data` over the ranks of `group`, differentiable as often as needed.
///
/// The gradient of data is the sum over the ranks of the gradients of the result, since every
/// rank's loss depends on every rank's data; averaged over the ranks afterwards, a parameter's
/// gradient is that of the mean of all losses. Every rank must run the same graph, forward and
/// backward.
///
/// A synchronized batch norm takes its moments from it:
///
///   const auto count = static_cast<double>(x.numel() / channels * group.size());
///   const auto mean = differentiable_all_reduce(group, x.sum({0, 2, 3}, true)) / count;
///   const auto centered = x - mean;
///   const auto variance = differentiable_all_reduce(group, centered.square().sum({0, 2, 3}, true)) /
///   count;
///
/// Give it a group of its own (`world.split(0)`): the backward pass waits for it, and must not
/// stand behind the large sums of gradients.
///
/// data:    any shape, float32 or float64, on a device of the group.
/// Returns: the same shape, attached to the graph where data is; data itself of a single rank.
at::Tensor differentiable_all_reduce(Group& group, const at::Tensor& data);

}  // namespace ganscale::comm
