#include "training/phases/build_phases.h"

#include "training/phases/phase_losses.h"

namespace ganscale::training {
namespace {

std::function<double(std::int64_t)> rate_of(const optim::NetworkPolicy& policy,
                                            std::int64_t total_images) {
  return [policy, total_images](std::int64_t images_seen) {
    return optim::effective_rate(policy, images_seen, total_images);
  };
}

/// Until a phase of the network wants them.
void compute_no_gradients(const torch::nn::Module& network) {
  for (const at::Tensor& parameter : network.parameters()) parameter.set_requires_grad(false);
}

/// Builds the phases of one run on one rank.
class Builder {
 public:
  Builder(const RunConfig& config, Replica& replica, NetworkGradients gradients,
          const comm::Group& group)
      : config_(config),
        replica_(replica),
        gradients_(gradients),
        images_per_pass_(config.training.images_per_pass() / group.size()),
        losses_({config, replica.generator(), replica.discriminator(), replica.augmentation(),
                 replica.path_length_mean(), replica.devices(), group}) {}

  std::vector<Phase> build() const {
    std::vector<Phase> phases = generator_phases();
    const std::vector<Phase> others = discriminator_phases();
    phases.insert(config_.loss.discriminator_first ? phases.begin() : phases.end(), others.begin(),
                  others.end());
    for (Phase& phase : phases) {
      phase.passes = config_.training.accumulate;
      phase.images_per_pass = images_per_pass_;
    }
    return phases;
  }

 private:
  std::function<PhaseLoss(const StepInput&)> loss(PhaseLoss (PhaseLosses::*method)(const StepInput&)
                                                      const) const {
    return std::bind_front(method, losses_);
  }

  std::vector<Phase> generator_phases() const {
    std::vector<Phase> phases = {generator_phase()};
    if (config_.generator.path_length.weight > 0) {
      phases.push_back(lazy_phase(phases[0], "Greg", config_.generator.policy));
      phases.back().losses = {loss(&PhaseLosses::path_length)};
      phases.back().statistics = {"loss/path_length", "path_length"};
    }
    return phases;
  }

  std::vector<Phase> discriminator_phases() const {
    std::vector<Phase> phases = {discriminator_phase()};
    if (config_.discriminator.r1.gamma > 0) {
      phases.push_back(lazy_phase(phases[0], "Dreg", config_.discriminator.policy));
      phases.back().losses = {loss(&PhaseLosses::r1)};
      phases.back().statistics = {"loss/r1"};
    }
    return phases;
  }

  Phase generator_phase() const {
    const optim::NetworkPolicy& policy = config_.generator.policy;
    Phase phase{.name = "Gmain",
                .interval = policy.update_interval,
                .offset = config_.loss.discriminator_first ? policy.update_interval - 1 : 0,
                .network = &replica_.generator(),
                .optimizer = &replica_.generator_optimizer(),
                .gradients = gradients_.generator,
                .learning_rate = rate_of(policy, config_.training.total_images()),
                .losses = {loss(&PhaseLosses::generator)},
                .statistics = {"loss/generator"},
                .max_gradient_norm = policy.max_gradient_norm,
                .weight_limit = policy.weight_limit};
    if (config_.generator.orthogonality_weight > 0) {
      phase.weight_loss = std::bind_front(&PhaseLosses::orthogonality, losses_);
      phase.statistics.push_back("loss/orthogonality");
    }
    return phase;
  }

  Phase discriminator_phase() const {
    const optim::NetworkPolicy& policy = config_.discriminator.policy;
    Phase phase{.name = "Dmain",
                .interval = policy.update_interval,
                .network = &replica_.discriminator(),
                .optimizer = &replica_.discriminator_optimizer(),
                .gradients = gradients_.discriminator,
                .learning_rate = rate_of(policy, config_.training.total_images()),
                .losses = {loss(&PhaseLosses::fakes), loss(&PhaseLosses::reals)},
                .statistics = {"loss/discriminator", "logit/fake", "logit/real", "score/fake",
                               "score/real", "sign/fake", "sign/real"},
                .max_gradient_norm = policy.max_gradient_norm,
                .weight_limit = policy.weight_limit};
    if (joins_batches(config_, replica_.discriminator().batch_joining(),
                      replica_.devices().discriminator.type())) {
      phase.losses = {loss(&PhaseLosses::fakes_and_reals)};
    }
    if (config_.loss.kind == losses::Adversarial::kWasserstein) {
      phase.losses = {loss(&PhaseLosses::critic)};
      if (config_.loss.gradient_penalty > 0) phase.statistics.push_back("loss/gradient_penalty");
    }
    return phase;
  }

  /// The same network and optimizer, less often and for a regularization.
  static Phase lazy_phase(const Phase& main, const std::string& name,
                          const optim::NetworkPolicy& policy) {
    Phase phase = main;
    phase.name = name;
    phase.interval = policy.lazy_interval;
    phase.offset = 0;
    phase.weight_loss = nullptr;
    return phase;
  }

  const RunConfig& config_;
  Replica& replica_;
  NetworkGradients gradients_;
  std::int64_t images_per_pass_;  ///< of this rank
  PhaseLosses losses_;
};

}  // namespace

std::vector<at::Tensor> parameters_with_gradients(const torch::nn::Module& network) {
  auto parameters = network.parameters();
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.requires_grad(); });
  return parameters;
}

bool joins_batches(const RunConfig& config, models::BatchJoining can, at::DeviceType device) {
  const JoinedBatches wanted = config.discriminator.joined_batches;
  if (wanted == JoinedBatches::kYes && can == models::BatchJoining::kNone) {
    throw ConfigError("discriminator.joined_batches: the discriminator of " + config.model.name +
                      " scores one batch at a time; leave it out");
  }
  if (wanted != JoinedBatches::kAuto) return wanted == JoinedBatches::kYes;
  return can == models::BatchJoining::kByDefault ||
         (can == models::BatchJoining::kForSpeed && config.model.layout.joins_batches(device));
}

std::vector<Phase> build_phases(const RunConfig& config, Replica& replica,
                                NetworkGradients gradients, const comm::Group& group) {
  compute_no_gradients(replica.generator());
  compute_no_gradients(replica.discriminator());
  return Builder(config, replica, gradients, group).build();
}

}  // namespace ganscale::training
