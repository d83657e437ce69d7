#include "training/phases/phase_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "base/error.h"
#include "losses/orthogonality.h"
#include "losses/path_length.h"
#include "losses/r1_penalty.h"
#include "losses/wasserstein.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

/// The pass of D over the reals draws behind all draws of the pass over the fakes.
constexpr std::uint32_t kSitesOfFakes = 1024;

/// Returns the random numbers of D's pass over the fakes, behind those of G's.
kernels::RandomStream random_behind(const Fakes& fakes, const StepInput& input) {
  return {input.images, Stream::kDiscriminatorNoise, fakes.next_site};
}

/// Adds statistics of D's logits: their mean, the mean probability of real, and the mean sign.
void report_scores(const char* whose, const at::Tensor& logits, NamedTensors& statistics) {
  const at::Tensor values = logits.detach();
  const std::string name(whose);
  statistics["logit/" + name] = values.mean();
  statistics["score/" + name] = values.sigmoid().mean();
  statistics["sign/" + name] = values.sign().mean();
}

}  // namespace

PhaseLoss PhaseLosses::generator(const StepInput& input) const {
  kernels::RandomStream random(input.images, Stream::kGeneratorNoise);
  const StepLatents from = latents(input, Stream::kGeneratorLatent);
  const auto fakes = augmented(parts_.generator.forward(from.z, from.labels, random), input,
                               augment::Use::kGeneratorFakes);
  const auto logits = parts_.discriminator.forward(fakes, from.labels, random);
  const auto loss = adversarial().generator(logits).mean();
  return {loss, {{"loss/generator", loss.detach()}}};
}

PhaseLoss PhaseLosses::path_length(const StepInput& input) const {
  const losses::PathLengthOptions& options = parts_.config.generator.path_length;
  PathLengthMean& mean = parts_.path_length_mean;
  const PathCount count = path_count(parts_.config.training.batch, options.batch_shrink,
                                     parts_.group.rank(), parts_.group.size());
  const at::Tensor lengths = measure_paths(input, count);
  const at::Tensor moved = mean.value.lerp(mean_length(lengths, count, mean), options.decay);
  // A length that is not finite would stay in the mean for ever.
  mean.value.copy_(at::where(moved.isfinite(), moved, mean.value).detach());
  // The mean over the ranks' losses is that over all ranks' images.
  const auto weight = options.weight * count.ranks / static_cast<double>(count.in_all);
  const auto penalty = (lengths - moved).square().sum() * weight;
  return {penalty * static_cast<double>(options.interval),
          {{"loss/path_length", penalty.detach()}, {"path_length", moved.detach()}}};
}

PhaseLoss PhaseLosses::orthogonality() const {
  at::Tensor sum = at::zeros({}, generator_options());
  for (const auto& [name, weight] : parts_.generator.filters()) {
    sum = sum.add(losses::orthogonality_penalty(weight));
  }
  const auto penalty = sum.mul(parts_.config.generator.orthogonality_weight);
  return {penalty, {{"loss/orthogonality", penalty.detach()}}};
}

Fakes PhaseLosses::make_fakes(const StepInput& input) const {
  const std::int64_t passes = parts_.config.training.accumulate;
  if (passes == 1) return draw_fakes(input);
  std::vector<at::Tensor> images;
  Fakes fakes;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    fakes = draw_fakes(part_of(input, pass * images_per_pass(), images_per_pass()));
    images.push_back(fakes.images);
  }
  return {at::cat(images), input.real.labels, fakes.next_site};
}

PhaseLoss PhaseLosses::fakes(const StepInput& input) const {
  const Fakes fakes = fakes_for_discriminator(input);
  auto random = random_behind(fakes, input);
  const auto logits = parts_.discriminator.forward(fakes.images, fakes.labels, random);
  PhaseLoss result{adversarial().fake(logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("fake", logits, result.statistics);
  return result;
}

PhaseLoss PhaseLosses::reals(const StepInput& input) const {
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise, kSitesOfFakes);
  const auto logits = score_reals(input, random).logits;
  PhaseLoss result{adversarial().real(logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("real", logits, result.statistics);
  return result;
}

PhaseLoss PhaseLosses::fakes_and_reals(const StepInput& input) const {
  const Fakes fakes = fakes_for_discriminator(input);
  auto random = random_behind(fakes, input);
  const auto reals = augmented(input.real.images, input, augment::Use::kReals);
  const auto& labels = input.real.labels;
  const auto logits =
      parts_.discriminator
          .score_batches(at::cat({fakes.images, reals}),
                         labels.defined() ? at::cat({fakes.labels, labels}) : labels, 2, random)
          .chunk(2);
  parts_.augmentation.observe_reals(logits[1].detach());
  PhaseLoss result{adversarial().fake(logits[0]).mean().add(adversarial().real(logits[1]).mean()),
                   {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("fake", logits[0], result.statistics);
  report_scores("real", logits[1], result.statistics);
  return result;
}

PhaseLoss PhaseLosses::critic(const StepInput& input) const {
  const Fakes fakes = fakes_for_discriminator(input);
  auto random = random_behind(fakes, input);
  const auto fake_logits = parts_.discriminator.forward(fakes.images, fakes.labels, random);
  const RealScores reals = score_reals(input, random);
  PhaseLoss result{
      adversarial().fake(fake_logits).mean().add(adversarial().real(reals.logits).mean()), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("fake", fake_logits, result.statistics);
  report_scores("real", reals.logits, result.statistics);
  const double weight = parts_.config.loss.gradient_penalty;
  if (weight > 0) {
    const auto share = random.uniform({fakes.images.size(0), 1, 1, 1}, fakes.images.options());
    const auto between = losses::interpolate(reals.images, fakes.images, share);
    const auto logits = parts_.discriminator.forward(between, input.real.labels, random);
    const auto penalty = losses::gradient_penalty(between, logits, weight).mean();
    result.total = result.total.add(penalty);
    result.statistics["loss/gradient_penalty"] = penalty.detach();
  }
  return result;
}

PhaseLoss PhaseLosses::r1(const StepInput& input) const {
  const losses::R1Options& options = parts_.config.discriminator.r1;
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise, 2 * kSitesOfFakes);
  const auto reals = input.real.images.detach().requires_grad_();
  const auto seen = augmented(reals, input, augment::Use::kRegularizedReals);
  const auto logits = parts_.discriminator.forward(seen, input.real.labels, random);
  const auto penalty = losses::r1_penalty(reals, logits, options.gamma).mean();
  return {penalty * static_cast<double>(options.interval), {{"loss/r1", penalty.detach()}}};
}

std::int64_t PhaseLosses::images_per_pass() const {
  return parts_.config.training.images_per_pass() / parts_.group.size();
}

const losses::AdversarialLoss& PhaseLosses::adversarial() const {
  return losses::adversarial_loss(parts_.config.loss.kind);
}

at::TensorOptions PhaseLosses::generator_options() const {
  return at::TensorOptions(parts_.devices.generator)
      .dtype(parameter_dtype(parts_.config.training.precision));
}

StepLatents PhaseLosses::latents(const StepInput& input, Stream stream) const {
  if (const auto given = input.given.find(stream); given != input.given.end()) return given->second;
  return {.z = kernels::random_normal(input.images, stream, /*site=*/0,
                                      {images_per_pass(), parts_.generator.z_dim()},
                                      generator_options()),
          .labels = input.real.labels};
}

StepLatents PhaseLosses::path_latents(const StepInput& input, const PathCount& count,
                                      kernels::RandomStream& random) const {
  const auto given = input.given.find(Stream::kPathLength);
  if (given != input.given.end()) return given->second;
  const ImageShape image = parts_.generator.image();
  const auto& labels = input.real.labels;
  const at::Tensor z = random.normal({count.here, parts_.generator.z_dim()}, generator_options());
  return {.z = z,
          .labels = labels.defined() ? labels.narrow(0, 0, count.here) : labels,
          .noise = random.normal({count.here, image.channels, image.resolution, image.resolution},
                                 generator_options())};
}

at::Tensor PhaseLosses::measure_paths(const StepInput& input, const PathCount& count) const {
  auto* generator = parts_.generator.as_style_generator();
  check(generator != nullptr, "path lengths are those of a generator with styles");
  kernels::RandomStream random(input.images, Stream::kPathLength);
  const StepLatents from = path_latents(input, count, random);
  const bool is_shared = parts_.path_length_mean.group != nullptr;
  const at::Tensor none = from.z.new_zeros({0}).requires_grad_();
  if (count.here == 0 && !is_shared) return none;
  auto drawn = generator->draw(from.z, from.labels, random);
  if (is_shared) drawn.images_per_rank = static_cast<double>(count.in_all) / count.ranks;
  const auto w = generator->map_for_training(drawn);
  if (count.here == 0) return none;
  return losses::path_lengths(generator->synthesize(w, random), w, from.noise);
}

at::Tensor PhaseLosses::augmented(const at::Tensor& images, const StepInput& input,
                                  augment::Use use) const {
  return parts_.augmentation(images.to(parts_.devices.discriminator), input.images, use);
}

Fakes PhaseLosses::draw_fakes(const StepInput& input) const {
  const at::NoGradGuard no_grad;
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise);
  const StepLatents from = latents(input, Stream::kDiscriminatorLatent);
  auto* styled = parts_.generator.as_style_generator();
  const auto images = styled != nullptr ? styled->make_fakes(from.z, from.labels, random)
                                        : parts_.generator.forward(from.z, from.labels, random);
  return {images, from.labels, random.next_site()};
}

Fakes PhaseLosses::fakes_for_discriminator(const StepInput& input) const {
  const at::NoGradGuard no_grad;
  Fakes fakes = input.fakes ? *input.fakes : draw_fakes(input);
  fakes.images = augmented(fakes.images, input, augment::Use::kDiscriminatorFakes);
  return fakes;
}

PhaseLosses::RealScores PhaseLosses::score_reals(const StepInput& input,
                                                 kernels::RandomStream& random) const {
  const auto images = augmented(input.real.images, input, augment::Use::kReals);
  const auto logits = parts_.discriminator.forward(images, input.real.labels, random);
  parts_.augmentation.observe_reals(logits.detach());
  return {images, logits};
}

}  // namespace ganscale::training
