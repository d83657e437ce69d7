#include "optim/network_policy.h"

#include <cmath>

#include "optim/clip_gradients.h"

namespace ganscale::optim {
namespace {

/// Returns c of NetworkPolicy; 1 without lazy regularization.
double lazy_factor(const NetworkPolicy& policy) {
  if (policy.lazy_interval == 0) return 1;
  return static_cast<double>(policy.lazy_interval) / static_cast<double>(policy.lazy_interval + 1);
}

/// Reads `beta2_schedule`, of an optimizer that can follow one.
void read_beta2_schedule(config::Section& in, const OptimizerKind& kind, NetworkPolicy& policy) {
  constexpr const char* kKey = "beta2_schedule";
  policy.beta2_schedule =
      schedule::parse_schedule(in.section(kKey), {"final", "final beta2, such as 0.99"});
  if (policy.beta2_schedule.is_constant()) return;
  const double final = policy.beta2_schedule.final;
  in.require(final >= 0 && final < 1, "beta2_schedule.final", "must be at least 0 and below 1");
  const std::optional<double> beta2 = policy.optimizer({}, /*lazy_factor=*/1)->beta2();
  in.require(beta2.has_value(), kKey,
             "only adam and adamw have a beta2 that may change: " + std::string(kind.name));
  policy.beta2 = beta2.value_or(0);
}

}  // namespace

NetworkPolicy parse_network_policy(config::Section in, const OptimizerDefaults& defaults,
                                   std::span<const OptimizerKind> kinds) {
  NetworkPolicy policy;
  const OptimizerKind& kind = read_kind(in, kinds);
  policy.learning_rate = in.get("learning_rate", defaults.learning_rate, "base learning rate");
  in.require(policy.learning_rate, config::above(0), "learning_rate", "must be positive");
  constexpr const char* kMultiplier = "learning_rate_multiplier";
  policy.learning_rate_multiplier =
      in.get(kMultiplier, 1.0, "factor of learning_rate; preset: paragan sets it for any model");
  in.require(policy.learning_rate_multiplier, config::above(0), kMultiplier, "must be positive");
  policy.optimizer = kind.parse(in, defaults);
  policy.schedule = schedule::parse_rate_schedule(in.section("schedule"));
  read_beta2_schedule(in, kind, policy);
  policy.batch_rule = parse_batch_rule(in.section("batch_rule"));
  policy.max_gradient_norm = parse_clipping(in.section("clipping"));
  in.reject_unread_keys();
  return policy;
}

double effective_rate(const NetworkPolicy& policy, std::int64_t images_seen,
                      std::int64_t total_images) {
  const double peak = policy.learning_rate * policy.learning_rate_multiplier * lazy_factor(policy) *
                      batch_factor(policy.batch_rule, policy.batch);
  return peak * schedule::value_of(policy.schedule, 1, images_seen, total_images);
}

std::optional<double> effective_beta2(const NetworkPolicy& policy, std::int64_t images_seen) {
  if (policy.beta2_schedule.is_constant()) return std::nullopt;
  const double beta2 = schedule::value_of(policy.beta2_schedule, policy.beta2, images_seen);
  return std::pow(beta2, lazy_factor(policy));
}

std::unique_ptr<Optimizer> build_optimizer(const NetworkPolicy& policy, NamedTensors parameters) {
  return policy.optimizer(std::move(parameters), lazy_factor(policy));
}

}  // namespace ganscale::optim
