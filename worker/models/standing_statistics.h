#pragma once

#include <cstdint>
#include <optional>

#include "models/contract/networks.h"

namespace ganscale::models {

/// Replaces the running statistics of a generator's batch norms, which come from many different
/// weights, by their means over passes of its own images, of 64 latents each. In a bundle, each
/// label's generator has passes of its own.
///
/// Paper:     Brock et al. 2018, arXiv:1809.11096, Appendix B ("standing statistics").
/// generator: in eval mode, before and after. Its batch norms take no further training.
/// passes:    at least 1; the paper has 100.
/// threshold: of the latents' truncation, see truncate_latents(); none: they are not truncated.
/// Returns:   whether it has batch norms; without any, nothing is done.
bool take_standing_statistics(Generator& generator, int passes, std::uint64_t seed,
                              std::optional<double> threshold);

}  // namespace ganscale::models
