#include "optim/optimizer/norms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

namespace ganscale::optim {

at::Tensor norms_of(const std::vector<at::Tensor>& tensors) {
  // Too short for LibTorch to share a piece among threads, each of which would round its part.
  constexpr std::int64_t kElementsOfAPiece = 16384;
  std::vector<at::Tensor> pieces;
  std::vector<std::int64_t> piece_counts;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor in_memory_order = tensor.as_strided({tensor.numel()}, {1});
    const auto of_tensor = in_memory_order.split(kElementsOfAPiece);
    pieces.insert(pieces.end(), of_tensor.begin(), of_tensor.end());
    piece_counts.push_back(static_cast<std::int64_t>(of_tensor.size()));
  }
  const at::Tensor of_pieces = at::stack(at::_foreach_norm(pieces));
  return at::stack(at::_foreach_norm(of_pieces.split_with_sizes(piece_counts)));
}

std::vector<at::Tensor> trust_ratios(const std::vector<at::Tensor>& weights,
                                     const std::vector<at::Tensor>& updates,
                                     const TrustRule& rule) {
  const at::Tensor of_weights = norms_of(weights);
  const at::Tensor of_updates = norms_of(updates);
  const at::Tensor ratios =
      of_weights * rule.coefficient / (of_updates + of_weights * rule.weight_decay + rule.epsilon);
  const at::Tensor have_both = (of_weights > 0).logical_and(of_updates > 0);
  return at::where(have_both, ratios, 1.0).unbind();
}

}  // namespace ganscale::optim
