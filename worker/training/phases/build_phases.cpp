#include "training/phases/build_phases.h"

#include "optim/lazy_rescale.h"
#include "training/phases/phase_losses.h"

namespace ganscale::training {
namespace {

std::function<double(std::int64_t)> rate_of(const optim::OptimizerConfig& optimizer,
                                            std::int64_t regularization_interval,
                                            std::int64_t total_images) {
  const auto rescaled = optim::lazily_rescaled(optimizer, regularization_interval);
  return [schedule = rescaled.schedule, base = rescaled.learning_rate,
          total_images](std::int64_t images_seen) {
    return optim::learning_rate(schedule, base, images_seen, total_images);
  };
}

/// Builds the phases of one run on one rank.
class Builder {
 public:
  Builder(const RunConfig& config, Replica& replica, NetworkGradients gradients,
          const comm::Group& group)
      : config_(config),
        replica_(replica),
        gradients_(gradients),
        losses_({config, replica.generator(), replica.discriminator(), replica.augmentation(),
                 replica.path_length_mean(), replica.devices(), group}) {}

  std::vector<Phase> build() const {
    const losses::PathLengthOptions& path_length = config_.generator.path_length;
    const losses::R1Options& r1 = config_.discriminator.r1;
    std::vector<Phase> phases = {generator_phase()};
    if (path_length.weight > 0) {
      phases.push_back(lazy_phase(phases[0], "Greg", path_length.interval));
      phases.back().losses = {loss(&PhaseLosses::path_length)};
      phases.back().statistics = {"loss/path_length", "path_length"};
    }
    phases.push_back(discriminator_phase());
    if (r1.gamma > 0) {
      phases.push_back(lazy_phase(phases.back(), "Dreg", r1.interval));
      phases.back().losses = {loss(&PhaseLosses::r1)};
      phases.back().statistics = {"loss/r1"};
    }
    return phases;
  }

 private:
  std::function<PhaseLoss(const StepInput&)> loss(PhaseLoss (PhaseLosses::*method)(const StepInput&)
                                                      const) const {
    return std::bind_front(method, losses_);
  }

  Phase generator_phase() const {
    const GeneratorConfig& config = config_.generator;
    return {.name = "Gmain",
            .interval = config_.loss.critic_steps,
            .network = &replica_.generator(),
            .optimizer = &replica_.generator_optimizer(),
            .gradients = gradients_.generator,
            .learning_rate = rate_of(config.optimizer, config.path_length.interval,
                                     config_.training.total_images()),
            .losses = {loss(&PhaseLosses::generator)},
            .statistics = {"loss/generator"}};
  }

  Phase discriminator_phase() const {
    const DiscriminatorConfig& config = config_.discriminator;
    Phase phase{.name = "Dmain",
                .network = &replica_.discriminator(),
                .optimizer = &replica_.discriminator_optimizer(),
                .gradients = gradients_.discriminator,
                .learning_rate =
                    rate_of(config.optimizer, config.r1.interval, config_.training.total_images()),
                .losses = {loss(&PhaseLosses::fakes), loss(&PhaseLosses::reals)},
                .statistics = {"loss/discriminator", "logit/fake", "logit/real", "score/fake",
                               "score/real", "sign/fake", "sign/real"},
                .weight_limit = config_.loss.weight_clip};
    if (config_.loss.kind == losses::Adversarial::kWasserstein) {
      phase.losses = {loss(&PhaseLosses::critic)};
      if (config_.loss.gradient_penalty > 0) phase.statistics.push_back("loss/gradient_penalty");
    }
    return phase;
  }

  /// The same network and optimizer, less often and for a regularization.
  static Phase lazy_phase(const Phase& main, const std::string& name, std::int64_t interval) {
    Phase phase = main;
    phase.name = name;
    phase.interval = interval;
    return phase;
  }

  const RunConfig& config_;
  Replica& replica_;
  NetworkGradients gradients_;
  PhaseLosses losses_;
};

}  // namespace

std::vector<Phase> build_phases(const RunConfig& config, Replica& replica,
                                NetworkGradients gradients, const comm::Group& group) {
  return Builder(config, replica, gradients, group).build();
}

}  // namespace ganscale::training
