#include "training/run/section_checks.h"

#include <ranges>

#include "base/joined.h"
#include "comm/backends/counting_group.h"
#include "config/units.h"
#include "metrics/evaluate.h"
#include "models/build_model.h"

namespace ganscale::training {
namespace {

void require_best_is_measured(const config::Section& in, const std::string& best,
                              const metrics::EvaluateConfig& evaluate) {
  if (best.empty()) return;
  std::vector<std::string> measured;
  for (const auto& metric : evaluate.metrics) {
    for (const auto& name : metrics::value_names(metric)) {
      if (name == best) return;
      measured.push_back(name);
    }
  }
  in.fail("checkpoint.keep_best",
          measured.empty()
              ? best + " is not in evaluate.metrics, which is empty"
              : "evaluate.metrics measures " + joined(measured) + ", not this: " + best);
}

/// Returns the names of the models that have a trait.
std::string models_with(bool models::Traits::* trait) {
  const auto has_it = [&](const models::Model& model) { return model.traits.*trait; };
  return joined(models::model_table() | std::views::filter(has_it) |
                std::views::transform(&models::Model::name));
}

void require_model_can(const config::Section& in, const RunConfig& config) {
  using models::Traits;
  const std::string& name = config.model.name;
  const Traits& traits = config.model.traits;
  in.require(config.training.precision != Precision::kFp16 || traits.has_float16,
             "training.precision",
             "fp16 is for " + models_with(&Traits::has_float16) + " only; use bf16: " + name);
  in.require(config.generator.path_length.weight == 0 || config.training.accumulate == 1,
             "training.accumulate",
             "the mean path length needs the whole batch at once; use 1, or leave out "
             "generator.path_length_weight");
  in.require(config.generator.path_length.weight == 0 || traits.has_styles,
             "generator.path_length_weight",
             "needs a generator with styles, " + models_with(&Traits::has_styles) +
                 "; leave it out: " + name);
}

void require_labels_are_read(const config::Section& in, data::Labels labels,
                             const models::ModelConfig& model) {
  const bool ignored = labels == data::Labels::kIgnore;
  in.require(
      !ignored || !models::takes_labels(model), "data.labels",
      "ignore leaves model " + model.name + " no labels; use auto, or a model without labels");
}

void require_derivatives(const config::Section& in, const RunConfig& config) {
  if (config.model.blueprint->has_second_derivatives()) return;
  const std::string why =
      "a penalty on D's gradient needs second derivatives, which recomputed blocks don't have; "
      "leave out one of the two";
  in.require(config.discriminator.penalties.r1_gamma == 0, "discriminator.r1_gamma", why);
  in.require(config.discriminator.penalties.r2_gamma == 0, "discriminator.r2_gamma", why);
  in.require(config.loss.gradient_penalty == 0, "loss.gradient_penalty", why);
}

void require_recordable(const config::Section& in, const TrainingConfig& training,
                        const augment::AugmentConfig& augment) {
  if (!training.cuda_graphs) return;
  in.require(augment.method != augment::Method::kAda, "training.cuda_graphs",
             "a CUDA graph cannot contain ADA, whose transformations are chosen on the host; use "
             "another augmentation or leave this out");
  in.require(augment.blur.sigma == 0, "training.cuda_graphs",
             "a CUDA graph cannot contain augment.blur_sigma, whose filter changes with each step; "
             "leave out one of the two");
  in.require(training.accumulate == 1, "training.cuda_graphs",
             "a CUDA graph contains one pass; use training.accumulate 1 or leave this out");
  in.require(
      training.devices_per_process == 1, "training.cuda_graphs",
      "a CUDA graph runs on one device; use training.devices_per_process 1 or leave this out");
}

/// Returns the keys of all schedules that end after the run, each with the kimg of its end.
std::vector<std::string> schedules_behind_the_run(const RunConfig& config) {
  const std::pair<const char*, const schedule::Schedule&> all[] = {
      {"generator.optimizer.schedule", config.generator.policy.schedule},
      {"generator.optimizer.beta2_schedule", config.generator.policy.beta2_schedule},
      {"generator.ema_schedule", config.generator.ema.schedule},
      {"discriminator.optimizer.schedule", config.discriminator.policy.schedule},
      {"discriminator.optimizer.beta2_schedule", config.discriminator.policy.beta2_schedule},
      {"discriminator.gamma_schedule", config.discriminator.penalties.schedule},
      {"augment.p_schedule", config.augment.p_schedule},
  };
  std::vector<std::string> keys;
  for (const auto& [key, schedule] : all) {
    if (!schedule.is_constant() && schedule.kimg > config.training.total_kimg)
      keys.push_back(std::string(key) + ".kimg " + config::format_number(schedule.kimg));
  }
  return keys;
}

}  // namespace

void require_sections_fit(const config::Section& in, const RunConfig& config) {
  require_model_can(in, config);
  require_labels_are_read(in, config.data.labels, config.model);
  require_derivatives(in, config);
  require_best_is_measured(in, config.checkpoint.keep_best, config.evaluate);
  require_recordable(in, config.training, config.augment);
}

void require_one_device(const config::Section& root, const TrainingConfig& training,
                        const std::string& scheme) {
  root.require(training.devices_per_process == 1, "training.devices_per_process",
               "2 requires scheme per_label; use 1: " + scheme);
}

void require_shared_statistics(const RunConfig& config, std::int64_t images_per_pass, int ranks) {
  config.model.blueprint->statistics_color(images_per_pass, comm::CountingGroup(ranks));
}

void require_shared_batch(const RunConfig& config, int ranks, const std::string& whose) {
  require_divisible_batch(config.training, ranks, whose);
  require_shared_statistics(config, config.training.images_per_pass(), ranks);
}

std::vector<std::string> config_warnings(const RunConfig& config) {
  std::vector<std::string> result;
  if (config.loss.gradient_penalty > 0 && config.model.blueprint->has_mixing_critic()) {
    result.emplace_back(
        "The gradient penalty is computed for each image alone, but the batch norms of this "
        "discriminator mix images: use model wgan or conditional_wgan, or batch_norm: frozen");
  }
  for (const std::string& schedule : schedules_behind_the_run(config)) {
    result.push_back(
        "A schedule ends after the run, which never reaches its final value: " + schedule +
        ", training.total_kimg " + config::format_number(config.training.total_kimg));
  }
  return result;
}

}  // namespace ganscale::training
