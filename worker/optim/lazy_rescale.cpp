#include "optim/lazy_rescale.h"

#include <cmath>

namespace ganscale::optim {

OptimizerConfig lazily_rescaled(OptimizerConfig config, std::int64_t interval) {
  if (interval == 0) return config;
  const double c = static_cast<double>(interval) / static_cast<double>(interval + 1);
  config.learning_rate *= c;
  config.beta1 = std::pow(config.beta1, c);
  config.beta2 = std::pow(config.beta2, c);
  return config;
}

}  // namespace ganscale::optim
