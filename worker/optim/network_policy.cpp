#include "optim/network_policy.h"

#include "optim/clip_gradients.h"

namespace ganscale::optim {
namespace {

/// Returns c of NetworkPolicy; 1 without lazy regularization.
double lazy_factor(const NetworkPolicy& policy) {
  if (policy.lazy_interval == 0) return 1;
  return static_cast<double>(policy.lazy_interval) / static_cast<double>(policy.lazy_interval + 1);
}

}  // namespace

NetworkPolicy parse_network_policy(config::Section in, const OptimizerDefaults& defaults,
                                   std::span<const OptimizerKind> kinds) {
  NetworkPolicy policy;
  const OptimizerKind& kind = read_kind(in, kinds);
  policy.learning_rate = in.get("learning_rate", defaults.learning_rate, "base learning rate");
  in.require(policy.learning_rate > 0, "learning_rate", "must be positive");
  policy.optimizer = kind.parse(in, defaults);
  policy.schedule = parse_learning_rate_schedule(in.section("schedule"));
  policy.batch_rule = parse_batch_rule(in.section("batch_rule"));
  policy.max_gradient_norm = parse_clipping(in.section("clipping"));
  in.reject_unread_keys();
  return policy;
}

double effective_rate(const NetworkPolicy& policy, std::int64_t images_seen,
                      std::int64_t total_images) {
  const double peak =
      policy.learning_rate * lazy_factor(policy) * batch_factor(policy.batch_rule, policy.batch);
  return learning_rate(policy.schedule, peak, images_seen, total_images);
}

std::unique_ptr<Optimizer> build_optimizer(const NetworkPolicy& policy, NamedTensors parameters) {
  return policy.optimizer(std::move(parameters), lazy_factor(policy));
}

}  // namespace ganscale::optim
