#include "training/section_checks.h"

#include "base/error.h"
#include "metrics/evaluate.h"

namespace ganscale::training {
namespace {

void require_best_is_measured(const RunConfig& config) {
  const std::string& best = config.checkpoint.keep_best;
  if (best.empty()) return;
  std::string all;
  for (const auto& metric : config.evaluate.metrics) {
    for (const auto& name : metrics::value_names(metric)) {
      if (name == best) return;
      all += (all.empty() ? "" : ", ") + name;
    }
  }
  throw ConfigError("checkpoint.keep_best: evaluate.metrics measures " +
                    (all.empty() ? std::string("nothing") : all) + ", not this: " + best);
}

void require_no_more_than_the_end(const RunConfig& config) {
  if (config.scheme.name != kPerLabel) return;
  const std::string why =
      "scheme per_label measures all labels together when they are over, and keeps each label's "
      "newest checkpoints: leave it out";
  if (config.evaluate.every_kimg > 0) throw ConfigError("evaluate.every_kimg: " + why);
  if (!config.checkpoint.keep_best.empty()) throw ConfigError("checkpoint.keep_best: " + why);
}

}  // namespace

void require_sections_fit(const RunConfig& config) {
  require_no_more_than_the_end(config);
  require_best_is_measured(config);
}

std::vector<std::string> doubts(const RunConfig& config) {
  std::vector<std::string> result;
  const bool is_penalised =
      config.loss.kind == losses::Adversarial::kWasserstein && config.loss.gradient_penalty > 0;
  if (is_penalised && models::has_mixing_critic(config.model)) {
    result.push_back(
        "The gradient penalty is of each image alone, but the batch norms of this discriminator "
        "mix images: take model wgan or conditional_wgan, or batch_norm: frozen");
  }
  return result;
}

}  // namespace ganscale::training
