#pragma once

#include "training/run/scheme.h"

namespace ganscale::training {

/// Returns the line of the scheme that trains generator and discriminator at the same time, on
/// ranks of their own (Shi, Li & You 2024, "ParaGAN"): the discriminator takes fakes of a bounded
/// buffer that the generator fills, the generator takes its gradient through a snapshot of the
/// discriminator. docs/paragan.md has the protocol.
SchemeLine asynchronous_scheme();

}  // namespace ganscale::training
