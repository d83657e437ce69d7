#pragma once

#include "models/contract/model.h"

namespace ganscale::models::stylegan3 {

inline constexpr Traits kTraits = {.labels = Labels::kOptional,
                                   .has_styles = true,
                                   .moves_images = true,
                                   .has_float16 = true,
                                   .presets_page = "docs/stylegan3.md"};

/// The weights of the public PyTorch implementation, stylegan3.
extern const PublicWeights kPublicWeights;

/// Reads the keys of a StyleGAN3 into a BlueprintOf<NetworkConfig>.
void read(config::Section& in, ModelConfig& config);

}  // namespace ganscale::models::stylegan3
