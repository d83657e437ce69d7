#include "optim/build_optimizer.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "optim/adabelief.h"
#include "optim/adam.h"
#include "optim/radam.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"

namespace ganscale::optim {
namespace {

void read_betas(config::Section& in, OptimizerConfig& c) {
  const auto betas = in.get("betas", std::vector<double>{c.beta1, c.beta2},
                            "decay rates of the running means of the gradient and its square");
  const auto valid = [](double beta) { return beta >= 0 && beta < 1; };
  in.require(betas.size() == 2 && std::ranges::all_of(betas, valid), "betas",
             "expected two numbers of at least 0 and below 1");
  c.beta1 = betas[0];
  c.beta2 = betas[1];
}

void read_epsilon(config::Section& in, OptimizerConfig& c) {
  c.epsilon = in.get("epsilon", c.epsilon, "term added to the denominator for numerical stability");
  in.require(c.epsilon >= 0, "epsilon", "must not be negative");
}

void read_weight_decay(config::Section& in, OptimizerConfig& c) {
  c.weight_decay = in.get("weight_decay", c.weight_decay, "weight decay");
  in.require(c.weight_decay >= 0, "weight_decay", "must not be negative");
}

void parse_adam(config::Section& in, OptimizerConfig& c) {
  read_betas(in, c);
  read_epsilon(in, c);
  read_weight_decay(in, c);
}

void parse_radam(config::Section& in, OptimizerConfig& c) {
  read_betas(in, c);
  read_epsilon(in, c);
}

void parse_adabelief(config::Section& in, OptimizerConfig& c) {
  c.epsilon = 1e-12;  // The authors' choice for GANs.
  parse_adam(in, c);
  c.rectify = in.get("rectify", c.rectify, "rectify the first steps like RAdam");
}

void parse_sgd(config::Section& in, OptimizerConfig& c) {
  c.momentum = in.get("momentum", c.momentum, "momentum factor");
  in.require(c.momentum >= 0 && c.momentum < 1, "momentum", "must be at least 0 and below 1");
  c.nesterov = in.get("nesterov", c.nesterov, "use Nesterov momentum");
  in.require(!c.nesterov || c.momentum > 0, "nesterov", "needs momentum");
  read_weight_decay(in, c);
}

void parse_rmsprop(config::Section& in, OptimizerConfig& c) {
  c.smoothing =
      in.get("smoothing", c.smoothing, "smoothing constant of the mean square (PyTorch: alpha)");
  in.require(c.smoothing >= 0 && c.smoothing < 1, "smoothing", "must be at least 0 and below 1");
  read_epsilon(in, c);
}

using Built = std::unique_ptr<Optimizer>;

Built build_adam(const OptimizerConfig& c, NamedTensors parameters) {
  const AdamOptions options{c.beta1, c.beta2, c.epsilon, c.weight_decay, /*decoupled=*/false};
  return std::make_unique<Adam>(std::move(parameters), options);
}

Built build_adamw(const OptimizerConfig& c, NamedTensors parameters) {
  const AdamOptions options{c.beta1, c.beta2, c.epsilon, c.weight_decay, /*decoupled=*/true};
  return std::make_unique<Adam>(std::move(parameters), options);
}

Built build_radam(const OptimizerConfig& c, NamedTensors parameters) {
  return std::make_unique<RAdam>(std::move(parameters), RAdamOptions{c.beta1, c.beta2, c.epsilon});
}

Built build_adabelief(const OptimizerConfig& c, NamedTensors parameters) {
  const AdaBeliefOptions options{c.beta1, c.beta2, c.epsilon, c.weight_decay, c.rectify};
  return std::make_unique<AdaBelief>(std::move(parameters), options);
}

Built build_sgd(const OptimizerConfig& c, NamedTensors parameters) {
  return std::make_unique<Sgd>(std::move(parameters),
                               SgdOptions{c.momentum, c.nesterov, c.weight_decay});
}

Built build_rmsprop(const OptimizerConfig& c, NamedTensors parameters) {
  return std::make_unique<Rmsprop>(std::move(parameters), RmspropOptions{c.smoothing, c.epsilon});
}

struct Kind {
  std::string_view name;
  void (*parse)(config::Section&, OptimizerConfig&);
  Built (*build)(const OptimizerConfig&, NamedTensors);
};

constexpr std::array kKinds = {
    Kind{"adam", parse_adam, build_adam},    Kind{"adamw", parse_adam, build_adamw},
    Kind{"radam", parse_radam, build_radam}, Kind{"adabelief", parse_adabelief, build_adabelief},
    Kind{"sgd", parse_sgd, build_sgd},       Kind{"rmsprop", parse_rmsprop, build_rmsprop},
};

const Kind& kind_of(const std::string& name) {
  const auto found = std::ranges::find(kKinds, name, &Kind::name);
  if (found == kKinds.end()) throw ConfigError("unknown optimizer: " + name);
  return *found;
}

}  // namespace

OptimizerConfig parse_optimizer(config::Section in, const OptimizerConfig& defaults) {
  OptimizerConfig c = defaults;
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  c.name = in.get_choice("name", c.name, names, "optimizer");
  c.learning_rate = in.get("learning_rate", c.learning_rate, "base learning rate");
  in.require(c.learning_rate > 0, "learning_rate", "must be positive");
  kind_of(c.name).parse(in, c);
  c.schedule = parse_learning_rate_schedule(in.section("schedule"));
  in.reject_unread_keys();
  return c;
}

std::unique_ptr<Optimizer> build_optimizer(const OptimizerConfig& config, NamedTensors parameters) {
  return kind_of(config.name).build(config, std::move(parameters));
}

}  // namespace ganscale::optim
