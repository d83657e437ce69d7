#include "losses/orthogonality.h"

namespace ganscale::losses {

at::Tensor orthogonality_penalty(const at::Tensor& weight) {
  const auto filters = weight.flatten(1);
  if (filters.size(0) > filters.size(1)) {
    // |W W^T| is |W^T W|, of which the first linear layer of a BigGAN-128 has 20 x 20 instead of
    // 24,576 x 24,576.
    const auto all = filters.t().mm(filters).square().sum();
    return all.sub(filters.square().sum(1).square().sum());
  }
  const auto products = filters.mm(filters.t());
  return products.sub(products.diagonal().diag_embed()).square().sum();
}

}  // namespace ganscale::losses
