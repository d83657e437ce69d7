#pragma once

#include "models/contract/layout.h"
#include "models/layers/weighted_layer.h"

namespace ganscale::models {

/// A fully connected layer: y = x weight^T + bias.
///
/// Parameters: weight [out, in], bias [out]. Buffers: as WeightedLayer.
class Linear : public WeightedLayer, public LaidOut {
 public:
  Linear(std::int64_t in_features, std::int64_t out_features);

  /// x: [N, in]. Returns [N, out].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor bias_;
};

}  // namespace ganscale::models
