#pragma once

#include <optional>

#include "models/contract/networks.h"

namespace ganscale::models {

/// Truncation of styles toward their mean: less variety, better images.
///
/// Paper: Karras et al. 2019, arXiv:1812.04948, Appendix B.
struct Truncation {
  double psi = 1;            ///< remaining fraction of the distance to the mean
  std::int64_t cutoff = -1;  ///< number of layers to truncate, from the coarsest; below 0: all
};

/// How the samples of any generator are truncated; by default not at all.
struct SampleTruncation {
  Truncation styles = {};  ///< of a generator with styles
  /// Of latents, of a generator that is trained for that, see models/latent_truncation.h.
  std::optional<double> latent_threshold = {};
};

/// The input of a training pass of G.
struct Latents {
  at::Tensor z;            ///< [N, z_dim]
  at::Tensor labels = {};  ///< [N] int64; undefined without labels
  /// Style mixing: layer l of image n takes its style from mixed_z where l >= crossover[n].
  /// Undefined: no image is mixed.
  at::Tensor mixed_z = {};    ///< [N, z_dim]
  at::Tensor crossover = {};  ///< [N] int64, up to the number of layers
  /// The mean number of images per rank, by which each rank divides its sum for a mean over all
  /// ranks. 0: N, the same on all ranks.
  double images_per_rank = 0;
};

/// A generator with a style space between latents and images.
class StyleGenerator : public Generator {
 public:
  using Generator::Generator;

  StyleGenerator* as_style_generator() override { return this; }

  /// Returns the style vectors of latents, [N, w_count, w_dim].
  virtual at::Tensor map(const at::Tensor& z, const at::Tensor& labels,
                         const Truncation& truncation) = 0;
  /// Returns the style vectors of a training pass, with style mixing, and updates the mean style,
  /// unless only make_fakes() does. For zero images it updates the mean style from the other ranks'
  /// images only.
  virtual at::Tensor map_for_training(const Latents& latents) = 0;
  /// Draws style mixing for these latents.
  virtual Latents draw(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) = 0;
  /// Synthesizes images from style vectors. random: the noise of the layers in training mode; in
  /// eval mode the noise is constant.
  virtual at::Tensor synthesize(const at::Tensor& w, RandomStream& random) = 0;

  /// Generates the images that a discriminator trains on: forward(), and an update of statistics
  /// that only these images move. In training mode.
  virtual at::Tensor make_fakes(const at::Tensor& z, const at::Tensor& labels,
                                RandomStream& random) {
    return forward(z, labels, random);
  }

  /// Returns the buffer [3, 3] by which images move and turn as a whole: the inverse of their motion,
  /// in shorter sides of an image from the center. Undefined for a generator that can't.
  virtual at::Tensor input_transform() { return {}; }

  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) override {
    if (!is_training()) return synthesize(map(z, labels, {}), random);
    return synthesize(map_for_training(draw(z, labels, random)), random);
  }
};

}  // namespace ganscale::models
