#include "training/run/section_checks.h"

#include "metrics/evaluate.h"

namespace ganscale::training {
namespace {

void require_best_is_measured(const config::Section& in, const RunConfig& config) {
  const std::string& best = config.checkpoint.keep_best;
  if (best.empty()) return;
  std::string all;
  for (const auto& metric : config.evaluate.metrics) {
    for (const auto& name : metrics::value_names(metric)) {
      if (name == best) return;
      all += (all.empty() ? "" : ", ") + name;
    }
  }
  in.fail("checkpoint.keep_best", "evaluate.metrics measures " +
                                      (all.empty() ? std::string("nothing") : all) +
                                      ", not this: " + best);
}

void require_model_can(const config::Section& in, const RunConfig& config) {
  const std::string& model = config.model.name;
  if (model == "stylegan2") return;
  in.require(config.training.precision != Precision::kFp16, "training.precision",
             "fp16 is for stylegan2 only; take bf16: " + model);
  in.require(config.generator.path_length.weight == 0, "generator.path_length_weight",
             "needs a generator with styles, stylegan2; leave it out: " + model);
}

void require_recordable(const config::Section& in, const RunConfig& config) {
  if (!config.training.cuda_graphs) return;
  in.require(config.augment.method != augment::Method::kAda, "training.cuda_graphs",
             "a graph cannot hold ADA, whose transformations are chosen on the host; take another "
             "augmentation or leave this out");
  in.require(config.training.devices_per_process == 1, "training.cuda_graphs",
             "a graph is of one device; take training.devices_per_process 1 or leave this out");
}

}  // namespace

void require_sections_fit(const config::Section& in, const RunConfig& config) {
  require_model_can(in, config);
  require_best_is_measured(in, config);
  require_recordable(in, config);
}

std::vector<std::string> config_warnings(const RunConfig& config) {
  std::vector<std::string> result;
  const bool is_penalized =
      config.loss.kind == losses::Adversarial::kWasserstein && config.loss.gradient_penalty > 0;
  if (is_penalized && models::has_mixing_critic(config.model)) {
    result.push_back(
        "The gradient penalty is of each image alone, but the batch norms of this discriminator "
        "mix images: take model wgan or conditional_wgan, or batch_norm: frozen");
  }
  return result;
}

}  // namespace ganscale::training
