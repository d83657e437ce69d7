#pragma once

#include <vector>

#include "collective/group_claims.h"

namespace ganscale::training {

/// What the asynchronous scheme promises on an even number of ranks.
std::vector<comm::GroupClaim> asynchronous_claims();

}  // namespace ganscale::training
