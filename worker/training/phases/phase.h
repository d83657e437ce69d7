#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/loader/batch.h"
#include "optim/optimizer.h"

namespace torch::nn {
class Module;
}
namespace ganscale::comm {
class BucketedGradients;
}

namespace ganscale::training {

/// The input of a phase.
struct StepInput {
  data::Batch real;  ///< images float [N, C, H, W] in [-1, 1] on the device
  ImageRandom
      images;  ///< the identity of this rank's images: all randomness of the step comes from it
};

/// The loss of a phase and its statistics.
struct PhaseLoss {
  at::Tensor total;         ///< scalar, attached to the graph
  NamedTensors statistics;  ///< scalars by name, such as "loss/generator", detached; those of the
                            ///< same name of a phase's parts are added
};

/// A phase of a step: a loss, the network that it trains, and its interval.
///
/// A step is a list of phases; lazy regularization is a phase with an interval.
struct Phase {
  std::string name;           ///< as in the papers: Gmain, Greg, Dmain, Dreg
  std::int64_t interval = 1;  ///< the phase runs in every interval-th step
  torch::nn::Module* network = nullptr;
  optim::Optimizer* optimizer = nullptr;
  comm::BucketedGradients* gradients = nullptr;
  std::function<double(std::int64_t images_seen)> learning_rate;
  /// The parts of its loss, whose gradients are added: each graph is freed before the next is made.
  std::vector<std::function<PhaseLoss(const StepInput&)>> losses;
  double weight_limit = 0;  ///< parameters are clamped to +-limit after each update; 0: not
};

/// Computes the loss of a phase and averages its gradients over the ranks, asynchronously: the host
/// does not wait. Returns the statistics.
NamedTensors compute_gradients(Phase& phase, const StepInput& input);

/// Updates the phase's network by its gradients; with it the averages of its parameters, where
/// given. Returns the first parameter whose gradient is NaN or infinite: nothing was updated then.
/// Else empty.
std::string update_network(Phase& phase, std::int64_t images_seen,
                           const optim::Averages* averages = nullptr);

}  // namespace ganscale::training
