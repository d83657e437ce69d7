#pragma once

#include <optional>

#include "augment/ada_draws.h"
#include "augment/augmentation.h"
#include "comm/group.h"
#include "kernels/counter_random/counter_random.h"
#include "losses/loss_config.h"
#include "models/style_generator.h"
#include "training/phases/phase.h"

/// The losses of the phases, from given latents (see build_phases.h).
namespace ganscale::training {

/// Prepares a rank's images for D: moves them to its device and augments them.
struct Augmenter {
  augment::Augmentation* augmentation = nullptr;  ///< none without one
  ImageRandom images = {};
  std::optional<at::Device> device = {};  ///< of D; the images' own without one

  at::Tensor operator()(const at::Tensor& x, augment::Use use) const {
    const at::Tensor here = device ? x.to(*device) : x;
    return augmentation == nullptr ? here : (*augmentation)(here, images, use);
  }
};

/// The input for the fakes of a phase.
struct FakeInput {
  at::Tensor z;                   ///< [N, z_dim]
  at::Tensor labels;              ///< [N] int64; undefined without labels
  kernels::RandomStream& random;  ///< mixing and noise of the pass through G, dropout of D
  Augmenter augment = {};
};

/// The input for the reals of a phase.
struct RealInput {
  data::Batch batch;
  kernels::RandomStream& random;  ///< dropout of D
  Augmenter augment = {};
};

/// Gmain: the adversarial loss of G.
PhaseLoss generator_loss(models::Generator& generator, models::Discriminator& discriminator,
                         const FakeInput& input, losses::Adversarial kind);

/// Dmain, its part of the fakes: softplus(D(G(z))), without gradients of G.
PhaseLoss fakes_loss(models::Generator& generator, models::Discriminator& discriminator,
                     const FakeInput& input);

/// Dmain, its part of the reals: softplus(-D(x)). The augmentation observes the logits.
PhaseLoss reals_loss(models::Discriminator& discriminator, const RealInput& input);

/// The fakes and the reals of a step, as many of both.
struct PairInput {
  FakeInput fakes;
  RealInput reals;
};

/// Dmain of a Wasserstein GAN: D(G(z)) - D(x), without gradients of G, and the gradient penalty of
/// that weight between each real and its fake; 0: none.
PhaseLoss critic_loss(models::Generator& generator, models::Discriminator& critic,
                      const PairInput& input, double gradient_penalty);

/// Lazy R1 regularization of D; the loss is `interval` times the penalty.
struct R1Options {
  double gamma = 0;
  std::int64_t interval = 0;  ///< steps; 0: never
};

/// Dreg: R1, by the reals as they were before the augmentation.
PhaseLoss r1_loss(models::Discriminator& discriminator, const RealInput& input,
                  const R1Options& options);

/// Lazy path length regularization of G; the loss is `interval` times the penalty.
struct PathLengthOptions {
  double weight = 0;
  std::int64_t interval = 0;  ///< steps; 0: never
  double decay = 0.01;        ///< of the running mean of path lengths
  std::int64_t batch_shrink = 2;
};

/// The running mean of path lengths, the target of the regularization.
struct PathLengthMean {
  at::Tensor value;              ///< scalar
  comm::Group* group = nullptr;  ///< the ranks to average over; null: only this rank
};

/// The number of path lengths: those of the first images of the global batch, so that they do not
/// depend on the number of ranks. A rank may have none of them.
struct PathCount {
  std::int64_t here = 0;
  std::int64_t in_all = 0;
  int ranks = 1;
};

/// Returns the counts of rank `rank` of `ranks`, to which images rank, rank + ranks, ... of a batch
/// belong: in all batch / batch_shrink, but one at least.
PathCount path_count(std::int64_t batch, const PathLengthOptions& options, int rank, int ranks);

/// The input for path lengths.
struct PathInput {
  FakeInput fakes;   ///< of count.here images
  at::Tensor noise;  ///< [N, C, H, W] standard normal, of as many
  PathCount count;
};

/// Greg: the squared distance of path lengths from their running mean, which is updated first.
///
/// Paper: Karras et al. 2020, arXiv:1912.04958, Eq. (4).
PhaseLoss path_length_loss(models::StyleGenerator& generator, const PathInput& input,
                           PathLengthMean& mean, const PathLengthOptions& options);

}  // namespace ganscale::training
