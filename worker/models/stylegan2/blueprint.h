#pragma once

#include "models/contract/model.h"

namespace ganscale::models::stylegan2 {

inline constexpr Traits kTraits = {.labels = Labels::kOptional,
                                   .has_styles = true,
                                   .has_float16 = true,
                                   .presets_page = "docs/stylegan2.md"};

/// The weights of stylegan2-ada-pytorch.
extern const PublicWeights kPublicWeights;

/// Reads the keys of a StyleGAN2 into a BlueprintOf<NetworkConfig>.
void read(config::Section& in, ModelConfig& config);

/// Initializes a generator: its weights by stylegan::initialize_weights(), the constant input and
/// the constant noise with N(0, 1).
void initialize_generator(torch::nn::Module& module, std::uint64_t seed);

}  // namespace ganscale::models::stylegan2
