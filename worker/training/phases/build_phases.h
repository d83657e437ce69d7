#pragma once

#include <vector>

#include "training/phases/phase.h"
#include "training/replica/replica.h"

namespace ganscale::training {

/// The gradient buckets of both networks.
struct NetworkGradients {
  comm::BucketedGradients* generator = nullptr;
  comm::BucketedGradients* discriminator = nullptr;
};

/// Returns the parameters of a network that are not frozen, in the order of registration: those
/// whose gradients have a place in its buckets. Call it before build_phases().
std::vector<at::Tensor> parameters_with_gradients(const torch::nn::Module& network);

/// Returns the discriminator's parameters that the phase of lazy penalties leaves alone; none
/// without that phase. Throws ConfigError for a prefix that no parameter's name begins with.
std::vector<at::Tensor> unpenalized_parameters(const RunConfig& config,
                                               const torch::nn::Module& discriminator);

/// Returns the phases of one step in their order, on the same reals: the generator's (Gmain, and
/// Greg for path lengths), then the discriminator's (Dmain, and Dreg for lazy penalties); the other way round
/// if loss.first says so. Each has latents of its own.
///
/// With loss.critic_steps the generator's phases run in every so many steps only: in the first of
/// them, or, if the discriminator is first, in the last. The interval of Greg counts these steps.
/// config, replica, group: outlive the phases. The batch is shared by all ranks of `group`. From
/// now on the replica's parameters require gradients only while one of their phases computes them.
///
/// A fake has the label of the real image of the same number, so that labels are as frequent as in
/// the data.
std::vector<Phase> build_phases(const RunConfig& config, Replica& replica,
                                NetworkGradients gradients, const comm::Group& group);

/// Returns whether Gmain is due in a step.
bool is_generator_due(const RunConfig& config, std::int64_t step);

}  // namespace ganscale::training
