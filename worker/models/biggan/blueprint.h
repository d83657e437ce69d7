#pragma once

#include "models/contract/model.h"

namespace ganscale::models::biggan {

inline constexpr Traits kTraits = {
    .labels = Labels::kNeeded, .truncates_latents = true, .presets_page = "docs/biggan.md"};

/// Read the keys of a BigGAN, and of a BigGAN-deep.
void read(config::Section& in, ModelConfig& config);
void read_deep(config::Section& in, ModelConfig& config);

}  // namespace ganscale::models::biggan
