#pragma once

#include <ATen/core/Tensor.h>

#include "models/contract/style_generator.h"

namespace ganscale::models::stylegan {

/// Returns a style for each of `count` layers, the first layers' moved toward their mean.
///
/// w:       [N, w_dim].
/// average: [w_dim].
/// Returns: [N, count, w_dim].
at::Tensor truncated_styles(const at::Tensor& w, const at::Tensor& average, std::int64_t count,
                            const Truncation& truncation);

}  // namespace ganscale::models::stylegan
