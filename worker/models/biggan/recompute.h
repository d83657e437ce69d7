#pragma once

#include <torch/nn/module.h>

#include <functional>

namespace ganscale::models::biggan {

/// The forward pass of some layers: takes x and a condition, which may be undefined.
using Pass = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& condition)>;

/// Runs a pass of these layers without keeping what it computes in between: the backward pass runs
/// it once more, with the same normalized weights, and moves neither singular vectors nor running
/// statistics. Without gradients it just runs the pass.
///
/// Paper:   Chen et al. 2016, arXiv:1604.06174, Section 4.
/// layers:  those that the pass runs; outlive the graph.
/// pass:    depends on nothing else; copied into the graph.
/// Returns: the pass' result, attached; a second derivative of it is a bug.
at::Tensor recomputed(torch::nn::Module& layers, const Pass& pass, const at::Tensor& x,
                      const at::Tensor& condition = {});

/// Runs a block or attention, recomputed or not. more: the condition of a block of the generator.
template <class Block, class... Condition>
at::Tensor run(bool recomputes, Block& block, const at::Tensor& x, const Condition&... more) {
  if (!recomputes) return block.forward(x, more...);
  const Pass pass = [&block](const at::Tensor& input, const at::Tensor& condition) {
    if constexpr (sizeof...(Condition) > 0) {
      return block.forward(input, condition);
    } else {
      return block.forward(input);
    }
  };
  return recomputed(block, pass, x, more...);
}

}  // namespace ganscale::models::biggan
