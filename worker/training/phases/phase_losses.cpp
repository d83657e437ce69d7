#include "training/phases/phase_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/where.h>

#include <algorithm>

#include "comm/differentiable_all_reduce.h"
#include "losses/adversarial.h"
#include "losses/path_length.h"
#include "losses/r1_penalty.h"
#include "losses/wasserstein.h"

namespace ganscale::training {
namespace {

/// Adds statistics of D's logits: their mean, the mean probability of real, and the mean sign.
void report_scores(const char* whose, const at::Tensor& logits, NamedTensors& statistics) {
  const at::Tensor values = logits.detach();
  const std::string name(whose);
  statistics["logit/" + name] = values.mean();
  statistics["score/" + name] = values.sigmoid().mean();
  statistics["sign/" + name] = values.sign().mean();
}

/// Returns the path lengths of this rank's images. Without images it returns an empty vector that
/// takes part in the backward pass, because that has an all-reduce.
at::Tensor measure_paths(models::StyleGenerator& generator, const PathInput& input,
                         const PathLengthMean& mean) {
  const PathCount& count = input.count;
  const bool is_shared = mean.group != nullptr;
  if (count.here == 0 && !is_shared) return mean.value.new_zeros({0}).requires_grad_();
  auto latents = generator.draw(input.fakes.z, input.fakes.labels, input.fakes.random);
  if (is_shared) {
    latents.images_per_rank = static_cast<double>(count.in_all) / count.ranks;
  }
  const auto w = generator.map_for_training(latents);
  if (count.here == 0) return mean.value.new_zeros({0}).requires_grad_();
  return losses::path_lengths(generator.synthesize(w, input.fakes.random), w, input.noise);
}

/// Returns the mean length of all ranks' images, or of this rank's where it keeps to those; where
/// there are none, the running mean.
at::Tensor mean_length(const at::Tensor& lengths, const PathCount& count,
                       const PathLengthMean& mean) {
  if (mean.group != nullptr) {
    return comm::differentiable_all_reduce(*mean.group, lengths.sum())
        .div(static_cast<double>(count.in_all));
  }
  return count.here > 0 ? lengths.mean() : mean.value.clone();
}

at::Tensor fakes_for_discriminator(models::Generator& generator, const FakeInput& input) {
  const at::NoGradGuard no_grad;
  return input.augment(generator.forward(input.z, input.labels, input.random),
                       augment::Use::kDiscriminatorFakes);
}

struct RealScores {
  at::Tensor images;  ///< as D saw them
  at::Tensor logits;
};

/// Asks D about the reals; the augmentation observes the answer.
RealScores score_reals(models::Discriminator& discriminator, const RealInput& input) {
  const auto images = input.augment(input.batch.images, augment::Use::kReals);
  const auto logits = discriminator.forward(images, input.batch.labels, input.random);
  if (input.augment.augmentation != nullptr) {
    input.augment.augmentation->observe_reals(logits.detach());
  }
  return {images, logits};
}

}  // namespace

PhaseLoss generator_loss(models::Generator& generator, models::Discriminator& discriminator,
                         const FakeInput& input, losses::Adversarial kind) {
  const auto fakes = input.augment(generator.forward(input.z, input.labels, input.random),
                                   augment::Use::kGeneratorFakes);
  const auto logits = discriminator.forward(fakes, input.labels, input.random);
  const bool wasserstein = kind == losses::Adversarial::kWasserstein;
  const auto loss = (wasserstein ? losses::wasserstein_generator_loss(logits)
                                 : losses::non_saturating_generator_loss(logits))
                        .mean();
  return {loss, {{"loss/generator", loss.detach()}}};
}

PhaseLoss fakes_loss(models::Generator& generator, models::Discriminator& discriminator,
                     const FakeInput& input) {
  const auto fakes = fakes_for_discriminator(generator, input);
  const auto logits = discriminator.forward(fakes, input.labels, input.random);
  PhaseLoss result{losses::non_saturating_fake_loss(logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("fake", logits, result.statistics);
  return result;
}

PhaseLoss reals_loss(models::Discriminator& discriminator, const RealInput& input) {
  const auto logits = score_reals(discriminator, input).logits;
  PhaseLoss result{losses::non_saturating_real_loss(logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("real", logits, result.statistics);
  return result;
}

PhaseLoss critic_loss(models::Generator& generator, models::Discriminator& critic,
                      const PairInput& input, double gradient_penalty) {
  const auto& labels = input.reals.batch.labels;
  auto& random = input.reals.random;
  const auto fakes = fakes_for_discriminator(generator, input.fakes);
  const auto fake_logits = critic.forward(fakes, labels, random);
  const RealScores reals = score_reals(critic, input.reals);
  PhaseLoss result{losses::wasserstein_critic_loss(reals.logits, fake_logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("fake", fake_logits, result.statistics);
  report_scores("real", reals.logits, result.statistics);
  if (gradient_penalty > 0) {
    const auto share = random.uniform({fakes.size(0), 1, 1, 1}, fakes.options());
    const auto between = losses::interpolate(reals.images, fakes, share);
    const auto logits = critic.forward(between, labels, random);
    const auto penalty = losses::gradient_penalty(between, logits, gradient_penalty).mean();
    result.total = result.total.add(penalty);
    result.statistics["loss/gradient_penalty"] = penalty.detach();
  }
  return result;
}

PhaseLoss r1_loss(models::Discriminator& discriminator, const RealInput& input,
                  const R1Options& options) {
  const auto reals = input.batch.images.detach().requires_grad_();
  const auto seen = input.augment(reals, augment::Use::kRegularizedReals);
  const auto logits = discriminator.forward(seen, input.batch.labels, input.random);
  const auto penalty = losses::r1_penalty(reals, logits, options.gamma).mean();
  return {penalty * static_cast<double>(options.interval), {{"loss/r1", penalty.detach()}}};
}

PathCount path_count(std::int64_t batch, const PathLengthOptions& options, int rank, int ranks) {
  const auto in_all = std::max<std::int64_t>(1, batch / options.batch_shrink);
  return {std::max<std::int64_t>(0, (in_all - rank + ranks - 1) / ranks), in_all, ranks};
}

PhaseLoss path_length_loss(models::StyleGenerator& generator, const PathInput& input,
                           PathLengthMean& mean, const PathLengthOptions& options) {
  const at::Tensor lengths = measure_paths(generator, input, mean);
  const at::Tensor moved = mean.value.lerp(mean_length(lengths, input.count, mean), options.decay);
  // A length that is not finite would stay in the mean for ever.
  mean.value.copy_(at::where(moved.isfinite(), moved, mean.value).detach());
  const auto weight = options.weight * input.count.ranks / static_cast<double>(input.count.in_all);
  const auto penalty = (lengths - moved).square().sum() * weight;
  return {penalty * static_cast<double>(options.interval),
          {{"loss/path_length", penalty.detach()}, {"path_length", moved.detach()}}};
}

}  // namespace ganscale::training
