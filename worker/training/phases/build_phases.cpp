#include "training/phases/build_phases.h"

#include "optim/lazy_rescale.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

/// The pass of D over the reals draws behind all draws of the pass over the fakes.
constexpr std::uint32_t kSitesOfFakes = 1024;

/// All that the losses of a run's phases look at.
struct Parts {
  const RunConfig& config;
  Replica& replica;
  const comm::Group& group;

  /// StyleGAN2 computes in low-precision types by itself, others by autocast.
  Autocast autocast(const StepInput& input) const {
    const bool by_itself = config.model.name == "stylegan2";
    return {by_itself ? Precision::kFp32 : config.training.precision,
            input.real.images.device().type()};
  }

  /// Latents for `count` fakes, of the labels of as many reals.
  FakeInput fakes(const StepInput& input, const at::Tensor& z,
                  kernels::RandomStream& random) const {
    const auto& labels = input.real.labels;
    return {z,
            labels.defined() ? labels.narrow(0, 0, z.size(0)) : labels,
            random,
            {&replica.augmentation(), input.images, replica.devices().discriminator}};
  }

  RealInput reals(const StepInput& input, kernels::RandomStream& random) const {
    return {input.real, random, {&replica.augmentation(), input.images}};
  }

  /// The dtype and device of G; the reals may be on D's device.
  at::TensorOptions generator_options(const StepInput& input) const {
    return input.real.images.options().device(replica.devices().generator);
  }

  at::Tensor latents(const StepInput& input, Stream stream) const {
    return kernels::random_normal(input.images, stream, /*site=*/0,
                                  {input.real.images.size(0), replica.generator().z_dim()},
                                  generator_options(input));
  }
};

PhaseLoss generator_phase(const Parts& in, const StepInput& input) {
  const Autocast autocast = in.autocast(input);
  kernels::RandomStream random(input.images, Stream::kGeneratorNoise);
  const auto fakes = in.fakes(input, in.latents(input, Stream::kGeneratorLatent), random);
  return generator_loss(in.replica.generator(), in.replica.discriminator(), fakes,
                        in.config.loss.kind);
}

PhaseLoss critic_phase(const Parts& in, const StepInput& input) {
  const Autocast autocast = in.autocast(input);
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise);
  return critic_loss(in.replica.generator(), in.replica.discriminator(),
                     {in.fakes(input, in.latents(input, Stream::kDiscriminatorLatent), random),
                      in.reals(input, random)},
                     in.config.loss.gradient_penalty);
}

PhaseLoss fakes_phase(const Parts& in, const StepInput& input) {
  const Autocast autocast = in.autocast(input);
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise);
  return fakes_loss(in.replica.generator(), in.replica.discriminator(),
                    in.fakes(input, in.latents(input, Stream::kDiscriminatorLatent), random));
}

PhaseLoss reals_phase(const Parts& in, const StepInput& input) {
  const Autocast autocast = in.autocast(input);
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise, kSitesOfFakes);
  return reals_loss(in.replica.discriminator(), in.reals(input, random));
}

PhaseLoss r1_phase(const Parts& in, const StepInput& input) {
  const Autocast autocast = in.autocast(input);
  kernels::RandomStream random(input.images, Stream::kDiscriminatorNoise, 2 * kSitesOfFakes);
  return r1_loss(in.replica.discriminator(), in.reals(input, random), in.config.discriminator.r1);
}

PhaseLoss path_length_phase(const Parts& in, const StepInput& input) {
  const PathLengthOptions& options = in.config.generator.path_length;
  auto& generator = dynamic_cast<models::StyleGenerator&>(in.replica.generator());
  const auto& real = input.real.images;
  const PathCount count =
      path_count(in.config.training.batch, options, in.group.rank(), in.group.size());
  kernels::RandomStream random(input.images, Stream::kPathLength);
  const at::TensorOptions options_of_images = in.generator_options(input);
  const at::Tensor z = random.normal({count.here, generator.z_dim()}, options_of_images);
  const at::Tensor noise =
      random.normal({count.here, real.size(1), real.size(2), real.size(3)}, options_of_images);
  return path_length_loss(generator, {in.fakes(input, z, random), noise, count},
                          in.replica.path_length_mean(), options);
}

std::function<double(std::int64_t)> rate_of(const optim::OptimizerConfig& optimizer,
                                            std::int64_t regularization_interval,
                                            std::int64_t total_images) {
  const auto rescaled = optim::lazily_rescaled(optimizer, regularization_interval);
  return [schedule = rescaled.schedule, base = rescaled.learning_rate,
          total_images](std::int64_t images_seen) {
    return optim::learning_rate(schedule, base, images_seen, total_images);
  };
}

using LossOfParts = PhaseLoss (*)(const Parts&, const StepInput&);

std::function<PhaseLoss(const StepInput&)> bind(LossOfParts loss, const Parts& parts) {
  return [loss, parts](const StepInput& input) { return loss(parts, input); };
}

Phase generator_phases(const Parts& in, NetworkGradients gradients) {
  const GeneratorConfig& config = in.config.generator;
  return {.name = "Gmain",
          .interval = in.config.loss.critic_steps,
          .network = &in.replica.generator(),
          .optimizer = &in.replica.generator_optimizer(),
          .gradients = gradients.generator,
          .learning_rate = rate_of(config.optimizer, config.path_length.interval,
                                   in.config.training.total_images()),
          .losses = {bind(generator_phase, in)}};
}

Phase discriminator_phases(const Parts& in, NetworkGradients gradients) {
  const DiscriminatorConfig& config = in.config.discriminator;
  std::vector<std::function<PhaseLoss(const StepInput&)>> losses;
  if (in.config.loss.kind == losses::Adversarial::kWasserstein) {
    losses = {bind(critic_phase, in)};
  } else {
    losses = {bind(fakes_phase, in), bind(reals_phase, in)};
  }
  return {.name = "Dmain",
          .network = &in.replica.discriminator(),
          .optimizer = &in.replica.discriminator_optimizer(),
          .gradients = gradients.discriminator,
          .learning_rate =
              rate_of(config.optimizer, config.r1.interval, in.config.training.total_images()),
          .losses = std::move(losses),
          .weight_limit = in.config.loss.weight_clip};
}

/// The same network and optimizer, less often and for a regularization.
Phase lazy_phase(const Phase& main, const std::string& name, std::int64_t interval,
                 std::function<PhaseLoss(const StepInput&)> loss) {
  Phase phase = main;
  phase.name = name;
  phase.interval = interval;
  phase.losses = {std::move(loss)};
  return phase;
}

}  // namespace

std::vector<Phase> build_phases(const RunConfig& config, Replica& replica,
                                NetworkGradients gradients, const comm::Group& group) {
  const Parts parts{config, replica, group};
  const PathLengthOptions& path_length = config.generator.path_length;
  const R1Options& r1 = config.discriminator.r1;
  std::vector<Phase> phases = {generator_phases(parts, gradients)};
  if (path_length.weight > 0) {
    phases.push_back(
        lazy_phase(phases[0], "Greg", path_length.interval, bind(path_length_phase, parts)));
  }
  phases.push_back(discriminator_phases(parts, gradients));
  if (r1.gamma > 0) {
    phases.push_back(lazy_phase(phases.back(), "Dreg", r1.interval, bind(r1_phase, parts)));
  }
  return phases;
}

}  // namespace ganscale::training
