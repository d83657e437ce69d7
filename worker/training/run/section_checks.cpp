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

void require_labels_train_alone(const config::Section& in, const RunConfig& config) {
  // The other scheme's ranks exchange gradients through one device each.
  in.require(config.training.devices_per_process == 1 || config.scheme.name == kPerLabel,
             "training.devices_per_process",
             "2 is for scheme per_label; take 1: " + config.scheme.name);
  if (config.scheme.name != kPerLabel) return;
  in.require(!models::takes_labels(config.model), "model.name",
             "scheme per_label gives each label a generator of its own; take an unconditional "
             "model such as dcgan: " +
                 config.model.name);
  in.require(config.data.labels != data::Labels::kIgnore, "data.labels",
             "scheme per_label needs labels: ignore");
  const std::string why =
      "scheme per_label measures all labels together when they are over, and keeps each label's "
      "newest checkpoints: leave it out";
  in.require(config.evaluate.every_kimg == 0, "evaluate.every_kimg", why);
  in.require(config.checkpoint.keep_best.empty(), "checkpoint.keep_best", why);
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
  require_labels_train_alone(in, config);
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
