#pragma once

#include <string>

namespace ganscale::controller::scaling_sweep {

/// Writes a number with this many decimals: 12.50. What is not finite becomes a dash.
std::string number(double value, int decimals);

/// Returns 1 rank, or 2 ranks.
std::string ranks_text(int ranks);

}  // namespace ganscale::controller::scaling_sweep
