#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/loader/batch.h"
#include "optim/optimizer/optimizer.h"

namespace torch::nn {
class Module;
}
namespace ganscale::comm {
class BucketedGradients;
}

namespace ganscale::training {

/// What the fakes of a phase are made from.
struct StepLatents {
  at::Tensor z;            ///< [N, z_dim]
  at::Tensor labels = {};  ///< [N] int64; undefined without labels
  at::Tensor noise = {};   ///< of path lengths: [N, C, H, W] standard normal
  at::Tensor reals = {};   ///< of pairs in the generator's loss; undefined: the step's
};

/// The fakes of Dmain.
struct Fakes {
  at::Tensor images;            ///< [N, C, H, W]
  at::Tensor labels = {};       ///< [N] int64; undefined without labels
  std::uint32_t next_site = 0;  ///< of the random stream of Dmain, after G's
};

/// Returns the fakes of several passes as those of one.
Fakes joined(const std::vector<Fakes>& passes);

/// Reals that the generator's loss compares fakes with, as the discriminator scores them.
struct ScoredReals {
  at::Tensor logits;       ///< [N]
  at::Tensor labels = {};  ///< [N] int64; undefined without labels. The fakes take them
};

/// What the phases of a step compute their losses from.
struct StepInput {
  /// Images float [N, C, H, W] in [-1, 1] on D's device; a rank that trains only G has only labels.
  data::Batch real;
  /// The identity of this rank's images: all randomness of the step comes from it.
  ImageRandom images;
  /// Latents by what they are for, in place of random ones: for comparisons with other programs.
  std::map<Stream, StepLatents> given = {};
  /// Of Dmain, if another rank or another phase made them.
  std::optional<Fakes> fakes = {};
  /// Of pairs in Gmain, if another rank scored them.
  std::optional<ScoredReals> scored_reals = {};
};

/// Returns the part of an input for `count` images, from number `first` on.
StepInput part_of(const StepInput& input, std::int64_t first, std::int64_t count);

/// The loss of a phase and its statistics.
struct PhaseLoss {
  at::Tensor total;         ///< scalar, attached to the graph
  NamedTensors statistics;  ///< scalars by name, such as "loss/generator", detached; those of the
                            ///< same name of a phase's parts are added
  std::optional<Fakes> fakes = {};  ///< for Dmain of the same step, if it trains on this phase's
};

/// A phase of a step: a loss, the network that it trains, and its interval.
///
/// A step is a list of phases; lazy regularization is a phase with an interval.
struct Phase {
  std::string name;           ///< as in the papers: Gmain, Greg, Dmain, Dreg
  std::int64_t interval = 1;  ///< the phase runs in every interval-th step
  std::int64_t offset = 0;    ///< of its first step: below the interval
  torch::nn::Module* network = nullptr;
  optim::Optimizer* optimizer = nullptr;
  comm::BucketedGradients* gradients = nullptr;
  std::function<double(std::int64_t images_seen)> learning_rate;
  /// Sets what schedules say of a step: beta2, weights of penalties, p of an augmentation. Outside
  /// of what a CUDA graph records.
  std::function<void(std::int64_t images_seen)> follow_schedules = {};
  /// The parts of its loss, whose gradients are added: each graph is freed before the next is made.
  std::vector<std::function<PhaseLoss(const StepInput&)>> losses;
  /// Another part, of the network's weights only; null: none.
  std::function<PhaseLoss()> weight_loss = {};
  /// Each part is the mean over so many passes, each of the next images of the input.
  std::int64_t passes = 1;
  std::int64_t images_per_pass = 0;     ///< of this rank; for more than one pass
  std::vector<std::string> statistics;  ///< the names that its losses report
  double max_gradient_norm = 0;         ///< a longer gradient is scaled down to it; 0: not
  double weight_limit = 0;  ///< parameters are clamped to +-limit after each update; 0: not
  /// Parameters that its updates leave as they are, and their state in the optimizer as well. Only
  /// the end of a round of Lookahead, which counts all updates, takes them back, too.
  std::vector<at::Tensor> left_alone = {};

  bool is_due(std::int64_t step) const { return step % interval == offset; }
};

/// Returns the names of phases, in their order.
std::vector<std::string> names_of(const std::vector<Phase>& phases);
/// Returns the names of all that phases report.
std::vector<std::string> statistics_of(const std::vector<Phase>& phases);

/// What a phase computed besides its gradients.
struct PhaseOutput {
  NamedTensors statistics;
  std::optional<Fakes> fakes = {};  ///< as in PhaseLoss, of all passes
};

/// Computes the loss of a phase and averages its gradients over the ranks, asynchronously: the host
/// does not wait.
PhaseOutput compute_gradients(Phase& phase, const StepInput& input);

/// Updates the phase's network by its gradients, which are averaged over all ranks and clipped
/// here, unless one is NaN or infinite; then the averages of its parameters, if given. The host
/// does not wait.
///
/// Returns: float32 [1 + n] on the device of the parameters. Element 0 is not 0 if the
///          network was not updated, and neither is element 1 + i if that was due to the i-th of
///          the optimizer's parameters with a gradient (SkippedUpdates gives their names).
at::Tensor update_network(Phase& phase, std::int64_t images_seen,
                          const optim::Averages* averages = nullptr);

}  // namespace ganscale::training
