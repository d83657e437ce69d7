#pragma once

#include <memory>

#include "models/contract/style_generator.h"
#include "models/stylegan/mapping.h"

namespace ganscale::models::stylegan {

/// A generator whose styles a mapping network makes, truncated toward their running mean.
///
/// Parameters: mapping.*, and what the synthesis network adds.
class MappedGenerator : public StyleGenerator {
 public:
  at::Tensor map(const at::Tensor& z, const at::Tensor& labels,
                 const Truncation& truncation) override;
  /// Mixes no styles.
  Latents draw(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) override;
  /// The mean style.
  NamedTensors moving_statistics() override;
  void prepare_weights() override;

 protected:
  /// mapping: with a running mean; w_count: style vectors per image.
  MappedGenerator(ImageShape image, const MappingOptions& mapping, int w_count);

  const Mapping& mapping() const { return *mapping_; }
  int w_count() const { return w_count_; }

 private:
  int w_count_;
  std::shared_ptr<Mapping> mapping_;
};

/// Returns the mapping of a family's configuration.
template <class NetworkConfig>
MappingOptions mapping_options(const NetworkConfig& config) {
  return {.z_dim = config.z_dim,
          .label_count = config.label_count,
          .width = config.w_dim,
          .layers = config.mapping_layers,
          .average_beta = config.w_average_beta};
}

}  // namespace ganscale::models::stylegan
