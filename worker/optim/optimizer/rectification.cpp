#include "optim/optimizer/rectification.h"

#include <cmath>

namespace ganscale::optim {

std::optional<double> rectification(double beta2, double step) {
  const double rho_inf = 2 / (1 - beta2) - 1;
  const double decay = std::pow(beta2, step);
  const double rho = rho_inf - 2 * step * decay / (1 - decay);
  if (rho <= 5) return std::nullopt;
  return std::sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho));
}

}  // namespace ganscale::optim
