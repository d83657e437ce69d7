#pragma once

#include "models/contract/model.h"

namespace ganscale::models::r3gan {

inline constexpr Traits kTraits = {.labels = Labels::kOptional, .presets_page = "docs/r3gan.md"};

/// The weights of the public PyTorch implementation, R3GAN.
extern const PublicWeights kPublicWeights;

/// Reads the keys of an R3GAN into a BlueprintOf<NetworkConfig>.
void read(config::Section& in, ModelConfig& config);

}  // namespace ganscale::models::r3gan
