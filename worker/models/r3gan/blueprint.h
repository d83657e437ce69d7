#pragma once

#include "models/contract/model.h"
#include "models/r3gan/config.h"

namespace ganscale::models::r3gan {

inline constexpr Traits kTraits = {.labels = Labels::kOptional};

/// The weights of the public PyTorch implementation, R3GAN.
extern const PublicWeights kPublicWeights;

/// Reads the keys of an R3GAN.
void read(config::Section& in, ModelConfig& config);

class R3ganBlueprint : public Blueprint {
 public:
  explicit R3ganBlueprint(const NetworkConfig& config) : config_(config) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override;
  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override;
  int lowest_low_precision_resolution() const override;

  /// Returns the configuration of the networks for these images and labels.
  NetworkConfig networks(const BuildContext& in) const;

 private:
  NetworkConfig config_;
};

}  // namespace ganscale::models::r3gan
