#include "training/phase_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "comm/differentiable_sum.h"
#include "losses/adversarial.h"
#include "losses/path_length.h"
#include "losses/r1_penalty.h"
#include "losses/wasserstein.h"

namespace ganscale::training {
namespace {

/// What is worth knowing of D's judgement: its mean, the share of the real side as a probability
/// and by sign.
void report_scores(const char* whose, const at::Tensor& logits, NamedTensors& statistics) {
  const at::Tensor values = logits.detach();
  const std::string name(whose);
  statistics["logit/" + name] = values.mean();
  statistics["score/" + name] = values.sigmoid().mean();
  statistics["sign/" + name] = values.sign().mean();
}

at::Tensor average_over(comm::Group* group, const at::Tensor& value) {
  if (group == nullptr || group->size() == 1) return value;
  return comm::differentiable_sum(*group, value) / static_cast<double>(group->size());
}

at::Tensor fakes_for_discriminator(models::Generator& generator, const FakeInput& input) {
  const at::NoGradGuard no_grad;
  return input.augment(generator.forward(input.z, input.labels, input.draws),
                       augment::Use::kDiscriminatorFakes);
}

struct Judged {
  at::Tensor images;  ///< as D saw them
  at::Tensor logits;
};

/// Asks D about the reals; the augmentation observes the answer.
Judged judge_reals(models::Discriminator& discriminator, const RealInput& input) {
  const auto images = input.augment(input.batch.images, augment::Use::kReals);
  const auto logits = discriminator.forward(images, input.batch.labels, input.draws);
  if (input.augment.augmentation != nullptr) {
    input.augment.augmentation->observe_reals(logits.detach());
  }
  return {images, logits};
}

}  // namespace

PhaseLoss generator_loss(models::Generator& generator, models::Discriminator& discriminator,
                         const FakeInput& input, losses::Adversarial kind) {
  const auto fakes = input.augment(generator.forward(input.z, input.labels, input.draws),
                                   augment::Use::kGeneratorFakes);
  const auto logits = discriminator.forward(fakes, input.labels, input.draws);
  const bool wasserstein = kind == losses::Adversarial::kWasserstein;
  const auto loss = (wasserstein ? losses::wasserstein_generator_loss(logits)
                                 : losses::non_saturating_generator_loss(logits))
                        .mean();
  return {loss, {{"loss/generator", loss.detach()}}};
}

PhaseLoss fakes_loss(models::Generator& generator, models::Discriminator& discriminator,
                     const FakeInput& input) {
  const auto fakes = fakes_for_discriminator(generator, input);
  const auto logits = discriminator.forward(fakes, input.labels, input.draws);
  PhaseLoss result{losses::non_saturating_fake_loss(logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("fake", logits, result.statistics);
  return result;
}

PhaseLoss reals_loss(models::Discriminator& discriminator, const RealInput& input) {
  const auto logits = judge_reals(discriminator, input).logits;
  PhaseLoss result{losses::non_saturating_real_loss(logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("real", logits, result.statistics);
  return result;
}

PhaseLoss critic_loss(models::Generator& generator, models::Discriminator& critic,
                      const PairInput& input, double gradient_penalty) {
  const auto& labels = input.reals.batch.labels;
  auto& draws = input.reals.draws;
  const auto fakes = fakes_for_discriminator(generator, input.fakes);
  const auto fake_logits = critic.forward(fakes, labels, draws);
  const Judged reals = judge_reals(critic, input.reals);
  PhaseLoss result{losses::wasserstein_critic_loss(reals.logits, fake_logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("fake", fake_logits, result.statistics);
  report_scores("real", reals.logits, result.statistics);
  if (gradient_penalty > 0) {
    const auto share = draws.uniform({fakes.size(0), 1, 1, 1}, fakes.options());
    const auto between = losses::interpolate(reals.images, fakes, share);
    const auto logits = critic.forward(between, labels, draws);
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
  const auto logits = discriminator.forward(seen, input.batch.labels, input.draws);
  const auto penalty = losses::r1_penalty(reals, logits, options.gamma).mean();
  return {penalty * static_cast<double>(options.interval), {{"loss/r1", penalty.detach()}}};
}

std::int64_t path_length_batch(std::int64_t image_count, const PathLengthOptions& options) {
  return std::max<std::int64_t>(1, image_count / options.batch_shrink);
}

PhaseLoss path_length_loss(models::StyleGenerator& generator, const PathInput& input,
                           PathLengthMean& mean, const PathLengthOptions& options) {
  const auto latents = generator.draw(input.fakes.z, input.fakes.labels, input.fakes.draws);
  const auto w = generator.map_for_training(latents);
  const auto images = generator.synthesize(w, input.fakes.draws);
  const auto lengths = losses::path_lengths(images, w, input.noise);
  const auto moved = mean.value.lerp(average_over(mean.group, lengths.mean()), options.decay);
  mean.value.copy_(moved.detach());
  const auto penalty = (lengths - moved).square().mean() * options.weight;
  return {penalty * static_cast<double>(options.interval),
          {{"loss/path_length", penalty.detach()}, {"path_length", moved.detach()}}};
}

}  // namespace ganscale::training
