#pragma once

#include <memory>
#include <string>

#include "config/section.h"
#include "optim/learning_rate.h"
#include "optim/optimizer.h"

namespace ganscale::optim {

/// An optimizer and its rate. A field holds only for the optimizers that know it.
struct OptimizerConfig {
  std::string name = "adam";  ///< adam, adamw, radam, adabelief, sgd or rmsprop
  double learning_rate = 2e-4;
  LearningRateSchedule schedule = {};
  double beta1 = 0.5;       ///< adam, adamw, radam, adabelief
  double beta2 = 0.999;     ///< adam, adamw, radam, adabelief
  double epsilon = 1e-8;    ///< all but sgd; adabelief is parsed with 1e-12
  double weight_decay = 0;  ///< adam, adamw, adabelief, sgd
  bool rectify = false;     ///< adabelief
  double momentum = 0.9;    ///< sgd
  bool nesterov = false;    ///< sgd
  double smoothing = 0.99;  ///< rmsprop
};

/// Reads `optimizer`. Throws ConfigError, also for a key that the named optimizer does not know.
/// defaults: of the keys that are not given.
OptimizerConfig parse_optimizer(config::Section in, const OptimizerConfig& defaults = {});

/// Returns the optimizer of the configured name over these parameters, in its first state.
/// Throws ConfigError if there is none of that name.
std::unique_ptr<Optimizer> build_optimizer(const OptimizerConfig& config, NamedTensors parameters);

}  // namespace ganscale::optim
