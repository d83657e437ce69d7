#include "losses/orthogonality.h"

namespace ganscale::losses {

at::Tensor orthogonality_penalty(const at::Tensor& weight) {
  const auto filters = weight.flatten(1);
  const auto products = filters.mm(filters.t());
  return products.sub(products.diagonal().diag_embed()).square().sum();
}

}  // namespace ganscale::losses
