#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::data {

/// Images of one rank's part of a global batch, in plan order.
struct Batch {
  at::Tensor images;  ///< [N, C, H, W]: uint8 on the host, float in [-1, 1] once on the device
  at::Tensor labels;  ///< [N] int64; undefined for a data set without labels
};

}  // namespace ganscale::data
