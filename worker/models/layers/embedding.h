#pragma once

#include "models/layers/weighted_layer.h"

namespace ganscale::models {

/// A vector for each label.
///
/// Parameters: weight [label_count, width]. Buffers: as WeightedLayer.
class Embedding : public WeightedLayer {
 public:
  Embedding(std::int64_t label_count, std::int64_t width);

  /// labels: [N] int64 in [0, label_count). Returns [N, width].
  at::Tensor forward(const at::Tensor& labels) const;
};

}  // namespace ganscale::models
