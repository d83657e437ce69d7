#include "training/phases/build_phases.h"

#include <ATen/ops/full.h>

#include "training/phases/joined_batches.h"
#include "training/phases/phase_losses.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

std::function<double(std::int64_t)> rate_of(const optim::NetworkPolicy& policy,
                                            std::int64_t total_images) {
  return [policy, total_images](std::int64_t images_seen) {
    return optim::effective_rate(policy, images_seen, total_images);
  };
}

/// Returns the first step in which Gmain is due.
std::int64_t first_step_of_generator(const RunConfig& config) {
  return config.loss.discriminator_first ? config.generator.policy.update_interval - 1 : 0;
}

/// Until a phase of the network needs them.
void compute_no_gradients(const torch::nn::Module& network) {
  for (const at::Tensor& parameter : network.parameters()) parameter.set_requires_grad(false);
}

void set_beta2(optim::Optimizer& optimizer, const optim::NetworkPolicy& policy,
               std::int64_t images_seen) {
  if (const auto beta2 = optim::effective_beta2(policy, images_seen)) optimizer.set_beta2(*beta2);
}

at::Tensor first_gamma_factor(const losses::PenaltyOptions& penalties, Precision precision,
                              const Replica& replica) {
  if (penalties.schedule.is_constant()) return {};
  const auto options =
      at::TensorOptions(replica.devices().discriminator).dtype(parameter_dtype(precision));
  return at::full({}, penalties.factor(/*images_seen=*/0), options);
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
        gamma_factor_(
            first_gamma_factor(config.discriminator.penalties, config.training.precision, replica)),
        losses_({config, replica.generator(), replica.discriminator(), replica.augmentation(),
                 replica.path_length_mean(), replica.devices(), group, gamma_factor_}) {}

  std::vector<Phase> build() const {
    std::vector<Phase> phases = generator_phases();
    const std::vector<Phase> others = discriminator_phases();
    phases.insert(config_.loss.discriminator_first ? phases.begin() : phases.end(), others.begin(),
                  others.end());
    for (Phase& phase : phases) {
      phase.passes = config_.training.accumulate;
      phase.images_per_pass = images_per_pass_;
      phase.follow_schedules = schedules();
    }
    return phases;
  }

 private:
  std::function<PhaseLoss(const StepInput&)> loss(PhaseLoss (PhaseLosses::*method)(const StepInput&)
                                                      const) const {
    return std::bind_front(method, losses_);
  }

  /// Any phase may be the first of a step: each sets all.
  std::function<void(std::int64_t)> schedules() const {
    return
        [&config = config_, &replica = replica_, factor = gamma_factor_](std::int64_t images_seen) {
          replica.augmentation().begin_step(images_seen);
          if (factor.defined()) factor.fill_(config.discriminator.penalties.factor(images_seen));
          set_beta2(replica.generator_optimizer(), config.generator.policy, images_seen);
          set_beta2(replica.discriminator_optimizer(), config.discriminator.policy, images_seen);
        };
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
    const auto penalties = penalties_in(losses::PenaltyPhase::kLazy);
    if (!penalties.empty()) {
      phases.push_back(lazy_phase(phases[0], "Dreg", config_.discriminator.policy));
      phases.back().losses = {loss(&PhaseLosses::lazy_penalties)};
      phases.back().statistics = names_of(penalties);
      phases.back().left_alone = unpenalized_parameters(config_, replica_.discriminator());
    }
    return phases;
  }

  Phase generator_phase() const {
    const optim::NetworkPolicy& policy = config_.generator.policy;
    Phase phase{.name = "Gmain",
                .interval = policy.update_interval,
                .offset = first_step_of_generator(config_),
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
    if (sees_both_sides()) phase.losses = {loss(&PhaseLosses::fakes_and_reals)};
    for (const std::string& name : names_of(penalties_in(losses::PenaltyPhase::kMain)))
      phase.statistics.push_back(name);
    return phase;
  }

  std::vector<losses::WeightedPenalty> penalties_in(losses::PenaltyPhase phase) const {
    return losses::penalties_in(phase, config_.loss, config_.discriminator.penalties);
  }

  static std::vector<std::string> names_of(const std::vector<losses::WeightedPenalty>& penalties) {
    std::vector<std::string> names;
    for (const auto& weighted : penalties)
      names.push_back("loss/" + std::string(weighted.penalty->name));
    return names;
  }

  /// Whether Dmain has one graph of fakes and reals: two take half of its memory at a time.
  bool sees_both_sides() const {
    return losses::adversarial_loss(config_.loss.kind).is_of_pairs() ||
           !penalties_in(losses::PenaltyPhase::kMain).empty() ||
           joins_batches(config_, replica_.discriminator().batch_joining(),
                         replica_.devices().discriminator.type());
  }

  /// The same network and optimizer, for a regularization: in every so many of the main phase's
  /// steps, as learning rate, betas and the factor of the penalty assume.
  static Phase lazy_phase(const Phase& main, const std::string& name,
                          const optim::NetworkPolicy& policy) {
    Phase phase = main;
    phase.name = name;
    phase.interval = main.interval * policy.lazy_interval;
    phase.weight_loss = nullptr;
    return phase;
  }

  const RunConfig& config_;
  Replica& replica_;
  NetworkGradients gradients_;
  std::int64_t images_per_pass_;  ///< of this rank
  at::Tensor gamma_factor_;       ///< undefined if no schedule moves it
  PhaseLosses losses_;
};

}  // namespace

std::vector<at::Tensor> parameters_with_gradients(const torch::nn::Module& network) {
  auto parameters = network.parameters();
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.requires_grad(); });
  return parameters;
}

std::vector<at::Tensor> unpenalized_parameters(const RunConfig& config,
                                               const torch::nn::Module& discriminator) {
  const DiscriminatorConfig& keys = config.discriminator;
  const auto lazy = losses::penalties_in(losses::PenaltyPhase::kLazy, config.loss, keys.penalties);
  if (lazy.empty()) return {};
  std::vector<at::Tensor> parameters;
  for (const std::string& prefix : keys.unpenalized) {
    const std::size_t before = parameters.size();
    for (const auto& [name, parameter] : named_parameters(discriminator)) {
      if (name.starts_with(prefix)) parameters.push_back(parameter);
    }
    if (parameters.size() > before) continue;
    throw ConfigError(keys.unpenalized_location.text() +
                      ": discriminator.unpenalized: no parameter's name begins with: " + prefix);
  }
  return parameters;
}

std::vector<Phase> build_phases(const RunConfig& config, Replica& replica,
                                NetworkGradients gradients, const comm::Group& group) {
  compute_no_gradients(replica.generator());
  compute_no_gradients(replica.discriminator());
  return Builder(config, replica, gradients, group).build();
}

bool is_generator_due(const RunConfig& config, std::int64_t step) {
  return step % config.generator.policy.update_interval == first_step_of_generator(config);
}

}  // namespace ganscale::training
