#include "training/phases/phase_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/error.h"
#include "losses/orthogonality.h"
#include "losses/path_length.h"
#include "training/phases/joined_batches.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

/// The pass of D over the reals draws after all draws of the pass over the fakes.
constexpr std::uint32_t kSitesOfFakes = 1024;
/// In the streams of latents, whose first site is z, and in that of path lengths, whose first ones
/// are z, style mixing and layer noise.
constexpr std::uint32_t kSiteOfLabels = 1024;

/// Returns the random numbers of D's pass over the fakes, after G's.
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

bool has_site(const std::vector<losses::WeightedPenalty>& penalties, losses::PenaltySite site) {
  return std::ranges::any_of(penalties,
                             [&](const auto& weighted) { return weighted.penalty->site == site; });
}

}  // namespace

PhaseLoss PhaseLosses::generator(const StepInput& input) const {
  kernels::RandomStream random(input.images, Stream::kGeneratorNoise);
  StepLatents from = latents(input, Stream::kGeneratorLatent);
  at::Tensor reals;
  // Before the fakes: so does a rank that scores reals for others.
  if (adversarial().is_of_pairs()) reals = score_pass_of_pairs(input, from);
  if (input.scored_reals) from.labels = input.scored_reals->labels;
  const bool is_shared = parts_.config.loss.shares_fakes;
  const at::Tensor images =
      is_shared ? images_of(from, random) : parts_.generator.forward(from.z, from.labels, random);
  const auto seen = augmented(images, input, augment::Use::kGeneratorFakes);
  const auto logits = parts_.discriminator.forward(seen, from.labels, random);
  const auto loss = adversarial().generator(logits, reals).mean();
  PhaseLoss result{loss, {{"loss/generator", loss.detach()}}};
  if (is_shared) result.fakes = Fakes{.images = images.detach(), .labels = from.labels};
  return result;
}

at::Tensor PhaseLosses::score_pairs(const StepInput& input) const {
  const std::int64_t passes = parts_.config.training.accumulate;
  std::vector<at::Tensor> logits;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    const StepInput part = part_of(input, pass * images_per_pass(), images_per_pass());
    logits.push_back(score_pass_of_pairs(part, {.z = {}, .labels = part.real.labels}));
  }
  return passes == 1 ? logits.front() : at::cat(logits);
}

at::Tensor PhaseLosses::score_pass_of_pairs(const StepInput& input, const StepLatents& from) const {
  if (input.scored_reals) return input.scored_reals->logits;
  const at::NoGradGuard no_grad;
  kernels::RandomStream random(input.images, Stream::kGeneratorNoise, kSitesOfFakes);
  const at::Tensor& reals = from.reals.defined() ? from.reals : input.real.images;
  const auto seen = augmented(reals, input, augment::Use::kPairedReals);
  return parts_.discriminator.forward(seen, from.labels, random);
}

PhaseLoss PhaseLosses::path_length(const StepInput& input) const {
  const losses::PathLengthOptions& options = parts_.config.generator.path_length;
  PathLengthMean& mean = parts_.path_length_mean;
  const PathCount count = path_count(parts_.config.training.batch, options.batch_shrink,
                                     parts_.group.rank(), parts_.group.size());
  const at::Tensor lengths = measure_paths(input, count);
  const at::Tensor moved = mean.value.lerp(mean_length(lengths, count, mean), options.decay);
  // A length that is not finite would stay in the mean forever.
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
  std::vector<Fakes> fakes;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    fakes.push_back(draw_fakes(part_of(input, pass * images_per_pass(), images_per_pass())));
  }
  return joined(fakes);
}

PhaseLoss PhaseLosses::fakes(const StepInput& input) const {
  const Fakes fakes = fakes_of(input);
  auto random = random_behind(fakes, input);
  const auto seen = augmented(fakes.images, input, augment::Use::kDiscriminatorFakes);
  const auto logits = parts_.discriminator.forward(seen, fakes.labels, random);
  PhaseLoss result{adversarial().fake(logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("fake", logits, result.statistics);
  if (parts_.config.discriminator.penalties.takes_fakes()) result.fakes = fakes;
  return result;
}

PhaseLoss PhaseLosses::reals(const StepInput& input) const {
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise, kSitesOfFakes);
  const auto seen = augmented(input.real.images, input, augment::Use::kReals);
  const auto logits = parts_.discriminator.forward(seen, input.real.labels, random);
  parts_.augmentation.observe_reals(logits.detach());
  PhaseLoss result{adversarial().real(logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  report_scores("real", logits, result.statistics);
  return result;
}

PhaseLoss PhaseLosses::fakes_and_reals(const StepInput& input) const {
  const auto penalties = penalties_in(losses::PenaltyPhase::kMain);
  const Fakes made = fakes_of(input);
  auto random = random_behind(made, input);
  Sides sides{.fakes = see(made.images, made.labels, input, augment::Use::kDiscriminatorFakes,
                           has_site(penalties, losses::PenaltySite::kFakes)),
              .reals = see(input.real.images, input.real.labels, input, augment::Use::kReals,
                           has_site(penalties, losses::PenaltySite::kReals))};
  score_both(sides, random);
  PhaseLoss result{adversarial().discriminator(sides.fakes.logits, sides.reals.logits).mean(), {}};
  result.statistics["loss/discriminator"] = result.total.detach();
  // Of a pair nothing but the difference is meant.
  const bool differs = adversarial().is_of_pairs();
  const at::Tensor difference = sides.reals.logits.detach() - sides.fakes.logits.detach();
  const at::Tensor reals = differs ? difference : sides.reals.logits.detach();
  parts_.augmentation.observe_reals(reals);
  report_scores("fake", differs ? difference.neg() : sides.fakes.logits, result.statistics);
  report_scores("real", reals, result.statistics);
  add_penalties(penalties, sides, random, result);
  if (parts_.config.discriminator.penalties.takes_fakes()) result.fakes = made;
  return result;
}

PhaseLoss PhaseLosses::lazy_penalties(const StepInput& input) const {
  const auto penalties = penalties_in(losses::PenaltyPhase::kLazy);
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise, 2 * kSitesOfFakes);
  const auto score = [&](Side side) {
    side.logits = parts_.discriminator.forward(side.seen, side.labels, random);
    return side;
  };
  Sides sides;
  if (has_site(penalties, losses::PenaltySite::kReals)) {
    sides.reals = score(see(input.real.images, input.real.labels, input,
                            augment::Use::kRegularizedReals, /*is_penalized=*/true));
  }
  if (has_site(penalties, losses::PenaltySite::kFakes)) {
    const Fakes made = fakes_of(input);
    sides.fakes = score(see(made.images, made.labels, input, augment::Use::kRegularizedFakes,
                            /*is_penalized=*/true));
  }
  PhaseLoss result;
  add_penalties(penalties, sides, random, result);
  const auto interval = static_cast<double>(parts_.config.discriminator.penalties.interval);
  return {result.total * interval, result.statistics};
}

void PhaseLosses::add_penalties(const std::vector<losses::WeightedPenalty>& penalties,
                                const Sides& sides, kernels::RandomStream& random,
                                PhaseLoss& loss) const {
  std::vector<at::Tensor> images;
  std::vector<at::Tensor> logits;
  for (const auto& [penalty, weight] : penalties) {
    const Side side = penalty->site == losses::PenaltySite::kBetween ? score_between(sides, random)
                      : penalty->site == losses::PenaltySite::kFakes ? sides.fakes
                                                                     : sides.reals;
    images.push_back(side.images);
    logits.push_back(side.logits);
  }
  if (penalties.empty()) return;
  const auto gradients = losses::image_gradients(images, logits);
  for (std::size_t i = 0; i < penalties.size(); ++i) {
    const losses::Penalty& penalty = *penalties[i].penalty;
    at::Tensor value = penalty.of_gradient(gradients[i]).mul(penalties[i].weight).mean();
    if (penalty.has_phase && parts_.gamma_factor.defined()) value = value * parts_.gamma_factor;
    loss.total = loss.total.defined() ? loss.total.add(value) : value;
    loss.statistics["loss/" + std::string(penalty.name)] = value.detach();
  }
}

std::vector<losses::WeightedPenalty> PhaseLosses::penalties_in(losses::PenaltyPhase phase) const {
  return losses::penalties_in(phase, parts_.config.loss, parts_.config.discriminator.penalties);
}

PhaseLosses::Side PhaseLosses::see(const at::Tensor& images, const at::Tensor& labels,
                                   const StepInput& input, augment::Use use,
                                   bool is_penalized) const {
  Side side{.images = images.to(parts_.devices.discriminator).detach(), .labels = labels};
  if (is_penalized) side.images.requires_grad_();
  side.seen = augmented(side.images, input, use);
  return side;
}

void PhaseLosses::score_both(Sides& sides, kernels::RandomStream& random) const {
  models::Discriminator& discriminator = parts_.discriminator;
  auto& [fakes, reals] = sides;
  if (!joins_batches(parts_.config, discriminator.batch_joining(),
                     parts_.devices.discriminator.type())) {
    fakes.logits = discriminator.forward(fakes.seen, fakes.labels, random);
    reals.logits = discriminator.forward(reals.seen, reals.labels, random);
    return;
  }
  const at::Tensor labels =
      reals.labels.defined() ? at::cat({fakes.labels, reals.labels}) : reals.labels;
  const auto logits =
      discriminator.score_batches(at::cat({fakes.seen, reals.seen}), labels, 2, random).chunk(2);
  fakes.logits = logits[0];
  reals.logits = logits[1];
}

PhaseLosses::Side PhaseLosses::score_between(const Sides& sides,
                                             kernels::RandomStream& random) const {
  const at::Tensor& fakes = sides.fakes.seen;
  const auto share = random.uniform({fakes.size(0), 1, 1, 1}, fakes.options());
  const auto between = losses::interpolate(sides.reals.seen, fakes, share);
  return {.images = between,
          .labels = sides.reals.labels,
          .seen = between,
          .logits = parts_.discriminator.forward(between, sides.reals.labels, random)};
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
          .labels = labels_of_fakes(input, stream)};
}

at::Tensor PhaseLosses::labels_of_fakes(const StepInput& input, Stream stream) const {
  const at::Tensor& reals = input.real.labels;
  if (!parts_.config.loss.uniform_labels || !reals.defined()) return reals;
  // On the device, as a CUDA graph needs it; in float64, so that they do not depend on precision.
  const auto numbers = kernels::random_uniform(input.images, stream, kSiteOfLabels, reals.sizes(),
                                               reals.options().dtype(at::kDouble));
  return numbers.mul(parts_.config.model.label_count).to(at::kLong);
}

StepLatents PhaseLosses::path_latents(const StepInput& input, const PathCount& count,
                                      kernels::RandomStream& random) const {
  const auto given = input.given.find(Stream::kPathLength);
  if (given != input.given.end()) return given->second;
  const ImageShape image = parts_.generator.image();
  const at::Tensor labels = labels_of_fakes(input, Stream::kPathLength);
  const at::Tensor z = random.normal({count.here, parts_.generator.z_dim()}, generator_options());
  return {.z = z,
          .labels = labels.defined() ? labels.narrow(0, 0, count.here) : labels,
          .noise = random.normal(
              {count.here, image.channels, image.resolution.height, image.resolution.width},
              generator_options())};
}

at::Tensor PhaseLosses::measure_paths(const StepInput& input, const PathCount& count) const {
  auto* generator = parts_.generator.as_style_generator();
  check(generator != nullptr, "path lengths need a generator with styles");
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
  const at::Tensor images = images_of(from, random);
  return {images, from.labels, random.next_site()};
}

at::Tensor PhaseLosses::images_of(const StepLatents& from, kernels::RandomStream& random) const {
  auto* styled = parts_.generator.as_style_generator();
  return styled != nullptr ? styled->make_fakes(from.z, from.labels, random)
                           : parts_.generator.forward(from.z, from.labels, random);
}

Fakes PhaseLosses::fakes_of(const StepInput& input) const {
  return input.fakes ? *input.fakes : draw_fakes(input);
}

}  // namespace ganscale::training
