#pragma once

#include <vector>

#include "training/phase.h"
#include "training/replica.h"

namespace ganscale::training {

/// The buckets that hold each network's gradients.
struct NetworkGradients {
  comm::BucketedGradients* generator = nullptr;
  comm::BucketedGradients* discriminator = nullptr;
};

/// Returns the phases of one step in their order: the generator's, then the discriminator's, on the
/// same reals.
///
/// A fake takes the label of the real image of the same number, so that labels come as often as in
/// the data.
std::vector<Phase> build_phases(const RunConfig& config, Replica& replica,
                                NetworkGradients gradients);

}  // namespace ganscale::training
