#pragma once

#include <vector>

#include "collective/group_claims.h"

namespace ganscale::training {

/// What training promises on a group of any size: the result does not depend on the size.
std::vector<comm::GroupClaim> training_claims();

}  // namespace ganscale::training
