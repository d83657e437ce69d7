#include "models/stylegan/truncated_styles.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/where.h>

namespace ganscale::models::stylegan {

at::Tensor truncated_styles(const at::Tensor& w, const at::Tensor& average, std::int64_t count,
                            const Truncation& truncation) {
  const at::Tensor all = w.unsqueeze(1).expand({-1, count, -1});
  if (truncation.psi == 1) return all;
  const at::Tensor truncated = average.lerp(w, truncation.psi);
  const auto cutoff = truncation.cutoff < 0 ? count : truncation.cutoff;
  const auto layers = at::arange(count, w.options().dtype(at::kLong)).view({1, count, 1});
  return at::where(layers.lt(cutoff), truncated.unsqueeze(1), all);
}

}  // namespace ganscale::models::stylegan
