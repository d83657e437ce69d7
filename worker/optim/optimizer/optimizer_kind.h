#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "config/section.h"
#include "optim/optimizer/optimizer.h"

namespace ganscale::optim {

/// Defaults of keys that are not configured; they depend on the loss.
struct OptimizerDefaults {
  double learning_rate = 2e-4;
  double beta1 = 0.5;
  double beta2 = 0.999;
};

/// Builds an optimizer with fixed options, in its initial state. The builder of an optimizer that
/// holds another holds the other's builder.
///
/// lazy_factor: c of NetworkPolicy, in (0, 1]. The betas are raised to this power.
using OptimizerBuilder =
    std::function<std::unique_ptr<Optimizer>(NamedTensors parameters, double lazy_factor)>;

/// One kind of optimizer: an entry of the table in optimizer_table.cpp.
struct OptimizerKind {
  std::string_view name;
  /// Reads the keys of this kind. Throws ConfigError.
  OptimizerBuilder (*parse)(config::Section& in, const OptimizerDefaults& defaults);
  bool holds_another = false;  ///< an inner one, which parse_inner() reads
};

/// Returns the options of an optimizer with this lazy_factor: beta1 and beta2, if they exist, are
/// raised to that power.
template <class Options>
Options lazy_options(Options options, [[maybe_unused]] double lazy_factor) {
  if constexpr (requires { options.beta1 + options.beta2; }) {
    options.beta1 = std::pow(options.beta1, lazy_factor);
    options.beta2 = std::pow(options.beta2, lazy_factor);
  }
  return options;
}

/// Returns the builder of `Rule`, an optimizer, with these options.
template <class Rule, class Options>
OptimizerBuilder builder_of(const Options& options) {
  return [options](NamedTensors parameters, double lazy_factor) {
    return std::make_unique<Rule>(std::move(parameters), lazy_options(options, lazy_factor));
  };
}

}  // namespace ganscale::optim
