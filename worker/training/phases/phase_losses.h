#pragma once

#include "augment/ada_draws.h"
#include "augment/augmentation.h"
#include "device/select_device.h"
#include "losses/gradient_penalties.h"
#include "losses/loss_table.h"
#include "models/contract/style_generator.h"
#include "training/phases/phase.h"
#include "training/replica/path_lengths.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// What the losses of a run's phases look at. All of it is borrowed.
struct LossParts {
  const RunConfig& config;
  models::Generator& generator;
  models::Discriminator& discriminator;
  augment::Augmentation& augmentation;
  PathLengthMean& path_length_mean;
  device::NetworkDevices devices;
  const comm::Group& group;  ///< the ranks that share a batch
  /// Scales the weights of R1 and R2: a scalar on D's device; undefined if no schedule moves it.
  at::Tensor gamma_factor = {};
};

/// The losses of the phases on one rank's images. Each draws latents of its own, unless Dmain takes
/// the fakes of Gmain.
///
/// A fake has the label of the real image of the same number, so that labels are as frequent as in
/// the data, unless `loss.fake_labels` lets them be drawn.
class PhaseLosses {
 public:
  explicit PhaseLosses(const LossParts& parts) : parts_(parts) {}

  /// Gmain: the loss of G in the configured game. A loss of pairs compares the i-th fake with the
  /// i-th real, which D scores without gradients; both have the label of the real.
  PhaseLoss generator(const StepInput& input) const;
  /// A part of Gmain: the orthogonal regularization of G's filters.
  PhaseLoss orthogonality() const;
  /// Greg: the squared distance of path lengths from their running mean, which is updated first.
  ///
  /// Paper: Karras et al. 2020, arXiv:1912.04958, Eq. (4).
  PhaseLoss path_length(const StepInput& input) const;
  /// Returns the fakes of Dmain, of all its passes, without gradients; in training mode, as Dmain
  /// would make them.
  Fakes make_fakes(const StepInput& input) const;
  /// Dmain, its part of the fakes, such as softplus(D(G(z))), without gradients of G.
  PhaseLoss fakes(const StepInput& input) const;
  /// Dmain, its part of the reals, such as softplus(-D(x)). The augmentation observes the logits.
  PhaseLoss reals(const StepInput& input) const;
  /// Dmain of a run whose loss or penalties look at fakes and reals together, or whose D scores
  /// them in one pass: the loss without gradients of G, and the penalties of the main phase.
  PhaseLoss fakes_and_reals(const StepInput& input) const;
  /// Dreg: the lazy penalties, times their interval. They are taken at images as they were before
  /// the augmentation.
  PhaseLoss lazy_penalties(const StepInput& input) const;
  /// Returns the scores of the reals of a step as Gmain of a loss of pairs would take them, of all
  /// its passes.
  at::Tensor score_pairs(const StepInput& input) const;

 private:
  /// A batch that D scores.
  struct Side {
    at::Tensor images;  ///< before the augmentation
    at::Tensor labels = {};
    at::Tensor seen = {};  ///< augmented, on D's device
    at::Tensor logits = {};
  };
  struct Sides {
    Side fakes;
    Side reals;
  };

  std::int64_t images_per_pass() const;  // of this rank
  const losses::AdversarialLoss& adversarial() const;
  at::TensorOptions generator_options() const;
  StepLatents latents(const StepInput& input, Stream stream) const;
  /// Returns the labels of this rank's fakes in a pass, drawn from a site of the stream if they
  /// aren't those of the batch.
  at::Tensor labels_of_fakes(const StepInput& input, Stream stream) const;
  StepLatents path_latents(const StepInput& input, const PathCount& count,
                           kernels::RandomStream& random) const;
  /// Returns the path lengths of this rank's images. Without any, it is an empty vector that takes
  /// part in the backward pass, because the ranks meet there.
  at::Tensor measure_paths(const StepInput& input, const PathCount& count) const;
  /// Returns what D sees of images: on its device, augmented.
  at::Tensor augmented(const at::Tensor& images, const StepInput& input, augment::Use use) const;
  /// Returns the fakes of Dmain: given, or made here.
  Fakes fakes_of(const StepInput& input) const;
  Fakes draw_fakes(const StepInput& input) const;
  /// Returns G's images as Dmain trains on them.
  at::Tensor images_of(const StepLatents& from, kernels::RandomStream& random) const;
  /// Returns D's scores of the reals of pairs in a pass of Gmain, without gradients.
  at::Tensor score_pass_of_pairs(const StepInput& input, const StepLatents& from) const;
  /// Returns a side as D sees it. Its images require gradients if a penalty is taken there.
  Side see(const at::Tensor& images, const at::Tensor& labels, const StepInput& input,
           augment::Use use, bool is_penalized) const;
  void score_both(Sides& sides, kernels::RandomStream& random) const;
  /// Adds penalties to a loss, and each as a statistic.
  void add_penalties(const std::vector<losses::WeightedPenalty>& penalties, const Sides& sides,
                     kernels::RandomStream& random, PhaseLoss& loss) const;
  std::vector<losses::WeightedPenalty> penalties_in(losses::PenaltyPhase phase) const;
  /// Returns images between reals and fakes, as D sees and scores them.
  Side score_between(const Sides& sides, kernels::RandomStream& random) const;

  LossParts parts_;
};

}  // namespace ganscale::training
