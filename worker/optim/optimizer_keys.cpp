#include "optim/optimizer_keys.h"

#include <algorithm>
#include <vector>

namespace ganscale::optim {

std::pair<double, double> read_betas(config::Section& in, const OptimizerDefaults& defaults) {
  const auto betas = in.get("betas", std::vector<double>{defaults.beta1, defaults.beta2},
                            "decay rates of the running means of the gradient and its square");
  const auto valid = [](double beta) { return beta >= 0 && beta < 1; };
  in.require(betas.size() == 2 && std::ranges::all_of(betas, valid), "betas",
             "expected two numbers of at least 0 and below 1");
  return {betas[0], betas[1]};
}

double read_epsilon(config::Section& in, double fallback) {
  const double epsilon =
      in.get("epsilon", fallback, "term added to the denominator for numerical stability");
  in.require(epsilon >= 0, "epsilon", "must not be negative");
  return epsilon;
}

double read_weight_decay(config::Section& in) {
  const double weight_decay = in.get("weight_decay", 0.0, "weight decay");
  in.require(weight_decay >= 0, "weight_decay", "must not be negative");
  return weight_decay;
}

}  // namespace ganscale::optim
