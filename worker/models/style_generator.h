#pragma once

#include "models/model.h"

namespace ganscale::models {

/// How styles are drawn toward their mean: less variety, better images.
///
/// Paper: Karras et al. 2019, arXiv:1812.04948, Appendix B.
struct Truncation {
  double psi = 1;            ///< what remains of the distance to the mean; 1: all
  std::int64_t cutoff = -1;  ///< of so many layers, the coarse ones; below 0: of all
};

/// What the images of a training pass are made from.
struct Latents {
  at::Tensor z;            ///< [N, z_dim]
  at::Tensor labels = {};  ///< [N] int64; undefined without labels
  /// Style mixing: layer l of image n takes its style from mixed_z where l >= crossover[n].
  /// Undefined: no image is mixed.
  at::Tensor mixed_z = {};    ///< [N, z_dim]
  at::Tensor crossover = {};  ///< [N] int64, up to the number of layers
  /// How many images a rank has on average: what this rank's sum is divided by for a mean over all
  /// ranks. 0: N, every rank has as many.
  double images_per_rank = 0;
};

/// A generator with a space of styles between latents and images.
class StyleGenerator : public Generator {
 public:
  using Generator::Generator;

  bool is_traceable() const override { return false; }

  /// Returns the style vectors of latents, [N, w_count, w_dim].
  virtual at::Tensor map(const at::Tensor& z, const at::Tensor& labels,
                         const Truncation& truncation) = 0;
  /// Returns the style vectors of a training pass, mixed, and moves the mean style. Latents of no
  /// image give none, and the mean style moves by the other ranks' images alone.
  virtual at::Tensor map_for_training(const Latents& latents) = 0;
  /// Draws which images of these latents are mixed, and with what.
  virtual Latents draw(const at::Tensor& z, const at::Tensor& labels,
                       kernels::RandomStream& random) = 0;
  /// Makes images of style vectors; draws: the noise of the layers in training mode. In eval mode
  /// the noise is constant.
  virtual at::Tensor synthesize(const at::Tensor& w, kernels::RandomStream& random) = 0;

  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels,
                     kernels::RandomStream& random) override {
    if (!is_training()) return synthesize(map(z, labels, {}), random);
    return synthesize(map_for_training(draw(z, labels, random)), random);
  }
};

}  // namespace ganscale::models
