#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::data {

/// One rank's part of a global batch, in plan order.
struct Batch {
  at::Tensor images;  ///< [N, C, H, W]: uint8 on the host, float in [-1, 1] once on the device
  at::Tensor labels;  ///< [N] int64; undefined for a dataset without labels
};

}  // namespace ganscale::data
