#pragma once

#include "augment/ada_draws.h"
#include "augment/augmentation.h"
#include "device/select_device.h"
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
};

/// The losses of the phases on one rank's images. Each draws latents of its own.
///
/// A fake has the label of the real image of the same number, so that labels are as frequent as in
/// the data.
class PhaseLosses {
 public:
  explicit PhaseLosses(const LossParts& parts) : parts_(parts) {}

  /// Gmain: the loss of G in the configured game.
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
  /// Dmain, both parts at once, by one pass over fakes and reals.
  PhaseLoss fakes_and_reals(const StepInput& input) const;
  /// Dmain of a Wasserstein GAN: D(G(z)) - D(x), without gradients of G, and the configured
  /// gradient penalty between each real and its fake.
  PhaseLoss critic(const StepInput& input) const;
  /// Dreg: R1, by the reals as they were before the augmentation.
  PhaseLoss r1(const StepInput& input) const;

 private:
  struct RealScores {
    at::Tensor images;  ///< as D saw them
    at::Tensor logits;
  };

  std::int64_t images_per_pass() const;  // of this rank
  const losses::AdversarialLoss& adversarial() const;
  at::TensorOptions generator_options() const;
  StepLatents latents(const StepInput& input, Stream stream) const;
  StepLatents path_latents(const StepInput& input, const PathCount& count,
                           kernels::RandomStream& random) const;
  /// Returns the path lengths of this rank's images. Without any, it is an empty vector that takes
  /// part in the backward pass, because the ranks meet there.
  at::Tensor measure_paths(const StepInput& input, const PathCount& count) const;
  /// Returns what D sees of images: on its device, augmented.
  at::Tensor augmented(const at::Tensor& images, const StepInput& input, augment::Use use) const;
  /// Returns the fakes of Dmain as D sees them: given, or made here.
  Fakes fakes_for_discriminator(const StepInput& input) const;
  Fakes draw_fakes(const StepInput& input) const;
  /// Asks D about the reals; the augmentation observes the answer.
  RealScores score_reals(const StepInput& input, kernels::RandomStream& random) const;

  LossParts parts_;
};

}  // namespace ganscale::training
