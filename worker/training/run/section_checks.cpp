#include "training/run/section_checks.h"

#include <limits>
#include <ranges>

#include "base/joined.h"
#include "comm/backends/counting_group.h"
#include "config/units.h"
#include "losses/loss_table.h"
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

void require_recordable(const config::Section& in, const RunConfig& config) {
  const TrainingConfig& training = config.training;
  const augment::AugmentConfig& augment = config.augment;
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
  in.require(!config.discriminator.penalties.takes_fakes(), "training.cuda_graphs",
             "a CUDA graph cannot pass the fakes of a step on to a lazy R2; use "
             "discriminator.penalty_phase main or leave this out");
}

void require_fakes_fit(const config::Section& in, const RunConfig& config) {
  const losses::LossConfig& loss = config.loss;
  if (loss.shares_fakes) {
    const std::string key = "loss.fakes";
    in.require(loss.critic_steps == 1, key,
               "shared needs fakes of the generator in each step; use loss.critic_steps 1, or new");
    in.require(!loss.discriminator_first, key,
               "shared needs the generator's phase first; use loss.first: generator, or new");
    in.require(!config.training.cuda_graphs, key,
               "shared passes fakes from phase to phase, which CUDA graphs don't; leave out "
               "training.cuda_graphs, or use new");
  }
  if (loss.uniform_labels) {
    const std::string key = "loss.fake_labels";
    in.require(models::takes_labels(config.model), key,
               "uniform needs a model with labels; leave it out: " + config.model.name);
    in.require(!losses::adversarial_loss(loss.kind).is_of_pairs(), key,
               "a loss of pairs compares fakes with reals of the same label; use batch");
    in.require(loss.gradient_penalty == 0, key,
               "the gradient penalty looks at images between a fake and a real of the same label; "
               "use batch, or another penalty");
  }
}

/// Until when a value changes, and the key that says so.
struct End {
  std::string key;
  double kimg = 0;  ///< 0: with the run, or it does not change
};

/// A rate's schedule without `kimg` ends with the run, but its warm-up may not.
End end_of(const std::string& section, const schedule::Schedule& schedule) {
  if (schedule.kimg > schedule.warmup_kimg) return {section + ".kimg", schedule.kimg};
  return {section + ".warmup_kimg", schedule.warmup_kimg};
}

/// Returns the ends of all schedules, and of the blur that fades.
std::vector<End> ends_of(const RunConfig& config) {
  const optim::NetworkPolicy& generator = config.generator.policy;
  const optim::NetworkPolicy& discriminator = config.discriminator.policy;
  const augment::FadingBlur& blur = config.augment.blur;
  return {
      end_of("generator.optimizer.schedule", generator.schedule),
      end_of("generator.optimizer.beta2_schedule", generator.beta2_schedule),
      end_of("generator.ema_schedule", config.generator.ema.schedule),
      end_of("discriminator.optimizer.schedule", discriminator.schedule),
      end_of("discriminator.optimizer.beta2_schedule", discriminator.beta2_schedule),
      end_of("discriminator.gamma_schedule", config.discriminator.penalties.schedule),
      end_of("augment.p_schedule", config.augment.p_schedule),
      {"augment.blur_fade_kimg", blur.sigma > 0 ? blur.fade_kimg : 0},
  };
}

/// Returns the keys of all ends after `after_kimg` and not after `until_kimg`, with their values.
std::vector<std::string> ends_between(const RunConfig& config, double after_kimg,
                                      double until_kimg) {
  std::vector<std::string> keys;
  for (const End& end : ends_of(config)) {
    if (end.kimg > after_kimg && end.kimg <= until_kimg)
      keys.push_back(end.key + " " + config::format_number(end.kimg));
  }
  return keys;
}

/// Returns warnings about keys that undo what the networks of training.resume_weights have learned.
std::vector<std::string> transfer_warnings(const RunConfig& config) {
  std::vector<std::string> result;
  if (config.training.resume_weights.empty()) return result;
  const optim::EmaConfig& ema = config.generator.ema;
  const bool averages = ema.kimg > 0 || !ema.schedule.is_constant();
  if (averages && optim::ema_beta(ema, config.training.batch, /*images_seen=*/0) == 0) {
    result.emplace_back(
        "The first step discards the average of training.resume_weights; set "
        "generator.ema_ramp_up and generator.ema_start_kimg to 0, and generator.ema_kimg above 0 "
        "with a generator.ema_schedule that has no warmup_kimg");
  }
  if (config.augment.blur.sigma > 0) {
    result.emplace_back(
        "The blur hides details that the networks of training.resume_weights have learned; set "
        "augment.blur_sigma to 0");
  }
  return result;
}

}  // namespace

void require_sections_fit(const config::Section& in, const RunConfig& config) {
  require_model_can(in, config);
  require_labels_are_read(in, config.data.labels, config.model);
  require_derivatives(in, config);
  require_best_is_measured(in, config.checkpoint.keep_best, config.evaluate);
  require_recordable(in, config);
  require_fakes_fit(in, config);
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
  std::vector<std::string> result = transfer_warnings(config);
  if (config.loss.gradient_penalty > 0 && config.model.blueprint->has_mixing_critic()) {
    result.emplace_back(
        "The gradient penalty is computed for each image alone, but the batch norms of this "
        "discriminator mix images: use model wgan or conditional_wgan, or batch_norm: frozen");
  }
  const double total_kimg = config.training.total_kimg;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  for (const std::string& end : ends_between(config, total_kimg, kNever)) {
    result.push_back("A schedule ends after the run, which never reaches its final value: " + end +
                     ", training.total_kimg " + config::format_number(total_kimg));
  }
  return result;
}

std::vector<std::string> label_warnings(const RunConfig& config, std::int64_t label, double kimg) {
  std::vector<std::string> result;
  for (const std::string& end : ends_between(config, kimg, config.training.total_kimg)) {
    result.push_back("A schedule ends after the training of the smallest label, " +
                     std::to_string(label) + ", which never reaches its final value: " + end +
                     ", the label's share of training.total_kimg " + config::format_number(kimg));
  }
  return result;
}

}  // namespace ganscale::training
