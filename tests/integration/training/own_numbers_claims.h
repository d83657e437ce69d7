#pragma once

#include <vector>

#include "collective/group_claims.h"

namespace ganscale::training {

/// What training promises where each rank has seeds, shards, running means and groups of its own,
/// as in Loppi & Kynkäänniemi 2021.
std::vector<comm::GroupClaim> own_numbers_claims();

}  // namespace ganscale::training
