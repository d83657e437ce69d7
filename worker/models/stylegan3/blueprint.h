#pragma once

#include "models/contract/model.h"
#include "models/stylegan3/config.h"

namespace ganscale::models::stylegan3 {

inline constexpr Traits kTraits = {
    .labels = Labels::kOptional, .has_styles = true, .moves_images = true, .has_float16 = true};

/// The weights of the public PyTorch implementation, stylegan3.
extern const PublicWeights kPublicWeights;

/// Reads the keys of a StyleGAN3.
void read(config::Section& in, ModelConfig& config);

class StyleganBlueprint : public Blueprint {
 public:
  explicit StyleganBlueprint(const NetworkConfig& config) : config_(config) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override;
  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override;
  int lowest_low_precision_resolution() const override;
  /// All ranks share the magnitudes of the generator's layers.
  int statistics_color(std::int64_t batch, const comm::Group& world) const override;

  /// Returns the configuration of the networks for these images, labels and ranks.
  NetworkConfig networks(const BuildContext& in) const;

 private:
  NetworkConfig config_;
};

}  // namespace ganscale::models::stylegan3
