#include "optim/optimizer/optimizer_keys.h"

#include <algorithm>
#include <vector>

namespace ganscale::optim {
namespace {

double read_documented_weight_decay(config::Section& in, double fallback,
                                    std::string_view documentation) {
  const double weight_decay = in.get("weight_decay", fallback, documentation);
  in.require(weight_decay, config::at_least(0), "weight_decay", "must not be negative");
  return weight_decay;
}

}  // namespace

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
  in.require(epsilon, config::at_least(0), "epsilon", "must not be negative");
  return epsilon;
}

double read_momentum(config::Section& in) {
  const double momentum = in.get("momentum", 0.9, "momentum factor");
  in.require(momentum >= 0 && momentum < 1, "momentum", "must be at least 0 and below 1");
  return momentum;
}

double read_weight_decay(config::Section& in) {
  return read_documented_weight_decay(in, 0, "weight decay");
}

double read_weight_decay_of_trust(config::Section& in, double fallback) {
  return read_documented_weight_decay(in, fallback, "weight decay; without it, no trust ratio");
}

}  // namespace ganscale::optim
