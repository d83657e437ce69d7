#pragma once

#include <cstdint>
#include <optional>

#include "optim/batch_rule.h"
#include "optim/rules/optimizer_table.h"
#include "schedule/schedule.h"

namespace ganscale::optim {

/// How one network is trained: optimizer, learning rate and schedule, intervals, clipping.
///
/// A network with lazy regularization gets one extra update in k = lazy_interval of its steps, so
/// that k + 1 updates replace k: with c = k / (k + 1), the learning rate is multiplied by c and the
/// betas are raised to the power c.
///
/// Paper: Karras et al. 2020, arXiv:1912.04958, Section 3.1 and Appendix B.
struct NetworkPolicy {
  OptimizerBuilder optimizer;
  double learning_rate = 0;             ///< as configured; see effective_rate()
  double learning_rate_multiplier = 1;  ///< of `preset`, which does not know the model's rate
  schedule::Schedule schedule = {};     ///< of the rate, from 1
  double beta2 = 0;                     ///< as configured, if `beta2_schedule` moves it
  schedule::Schedule beta2_schedule = {};
  BatchRule batch_rule = {};
  std::int64_t batch = 0;            ///< of all ranks; what the batch rule goes by
  double max_gradient_norm = 0;      ///< of all gradients of an update together; 0: any
  std::int64_t update_interval = 1;  ///< steps per update
  std::int64_t lazy_interval = 0;    ///< updates per lazy regularization; 0: none
  double weight_limit = 0;  ///< parameters are clamped to +-limit after each update; 0: not
};

/// Reads the section `optimizer`: kind, options, learning rate, schedule, batch rule and clipping.
/// Batch, intervals and weight limit are keys of other sections and keep their defaults. Throws
/// ConfigError, also for an option of another kind.
NetworkPolicy parse_network_policy(config::Section in, const OptimizerDefaults& defaults = {},
                                   std::span<const OptimizerKind> kinds = optimizer_kinds());

/// Returns the learning rate of an update after `images_seen` of `total_images` images: the
/// configured one times its multiplier, c and the factor of the batch rule, along warm-up and
/// schedule. Both the optimizers and the reports use it.
double effective_rate(const NetworkPolicy& policy, std::int64_t images_seen,
                      std::int64_t total_images);

/// Returns beta2 of an update after `images_seen` images, raised to the power c; none if no
/// schedule moves it.
std::optional<double> effective_beta2(const NetworkPolicy& policy, std::int64_t images_seen);

/// Builds the optimizer of the policy over these parameters, in its initial state.
std::unique_ptr<Optimizer> build_optimizer(const NetworkPolicy& policy, NamedTensors parameters);

}  // namespace ganscale::optim
