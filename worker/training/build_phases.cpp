#include "training/build_phases.h"

#include <ATen/core/grad_mode.h>

#include "losses/adversarial.h"
#include "training/precision.h"

namespace ganscale::training {
namespace {

/// Makes fakes for the batch, of the real images' labels.
at::Tensor generate(models::Generator& generator, const StepInput& input, Stream latent,
                    kernels::RandomDraws& draws) {
  const auto N = input.real.images.size(0);
  const auto z = kernels::random_normal(input.images, latent, /*site=*/0, {N, generator.z_dim()},
                                        input.real.images.options());
  return generator.forward(z, input.real.labels, draws);
}

PhaseLoss generator_loss(Replica& replica, Precision precision, const StepInput& input) {
  const Autocast autocast(precision, input.real.images.device().type());
  kernels::RandomDraws draws(input.images, Stream::kGeneratorNoise);
  const auto fakes =
      replica.augmentation()(generate(replica.generator(), input, Stream::kGeneratorLatent, draws),
                             input.images, augment::Use::kGeneratorFakes);
  const auto logits = replica.discriminator().forward(fakes, input.real.labels, draws);
  const auto loss = losses::non_saturating_generator_loss(logits).mean();
  return {loss, {{"loss/generator", loss.detach()}}};
}

PhaseLoss discriminator_loss(Replica& replica, Precision precision, const StepInput& input) {
  const Autocast autocast(precision, input.real.images.device().type());
  kernels::RandomDraws draws(input.images, Stream::kDiscriminatorNoise);
  at::Tensor fakes;
  {
    const at::NoGradGuard no_grad;
    fakes = replica.augmentation()(
        generate(replica.generator(), input, Stream::kDiscriminatorLatent, draws), input.images,
        augment::Use::kDiscriminatorFakes);
  }
  const auto fake_logits = replica.discriminator().forward(fakes, input.real.labels, draws);
  const auto reals = replica.augmentation()(input.real.images, input.images, augment::Use::kReals);
  const auto real_logits = replica.discriminator().forward(reals, input.real.labels, draws);
  replica.augmentation().observe_reals(real_logits.detach());
  const auto loss = losses::non_saturating_discriminator_loss(real_logits, fake_logits).mean();
  return {loss,
          {{"loss/discriminator", loss.detach()},
           {"score/real", real_logits.detach().sigmoid().mean()},
           {"score/fake", fake_logits.detach().sigmoid().mean()}}};
}

std::function<double(std::int64_t)> rate_of(const optim::OptimizerConfig& optimizer,
                                            std::int64_t total_images) {
  return [schedule = optimizer.schedule, base = optimizer.learning_rate,
          total_images](std::int64_t images_seen) {
    return optim::learning_rate(schedule, base, images_seen, total_images);
  };
}

}  // namespace

std::vector<Phase> build_phases(const RunConfig& config, Replica& replica,
                                NetworkGradients gradients) {
  const auto precision = config.training.precision;
  Phase generator{
      .name = "Gmain",
      .network = &replica.generator(),
      .optimizer = &replica.generator_optimizer(),
      .gradients = gradients.generator,
      .learning_rate = rate_of(config.generator.optimizer, config.training.total_images()),
      .loss = [&replica, precision](const StepInput& input) {
        return generator_loss(replica, precision, input);
      }};
  Phase discriminator{
      .name = "Dmain",
      .network = &replica.discriminator(),
      .optimizer = &replica.discriminator_optimizer(),
      .gradients = gradients.discriminator,
      .learning_rate = rate_of(config.discriminator.optimizer, config.training.total_images()),
      .loss = [&replica, precision](const StepInput& input) {
        return discriminator_loss(replica, precision, input);
      }};
  return {std::move(generator), std::move(discriminator)};
}

}  // namespace ganscale::training
