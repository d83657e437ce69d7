#include "scaling_sweep/desired/figures.h"

#include <fmt/format.h>

#include <cmath>

namespace ganscale::controller::scaling_sweep {

std::string number(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "–";
}

std::string ranks_text(int ranks) {
  return std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
}

}  // namespace ganscale::controller::scaling_sweep
