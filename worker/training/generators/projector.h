#pragma once

#include <functional>

#include "models/style_generator.h"
#include "tensors/named_tensors.h"

namespace ganscale::training {

/// How an image is sought among those of a generator. The numbers are the paper's but for the
/// distance between images.
struct ProjectionOptions {
  int step_count = 1000;
  double learning_rate = 0.1;
  std::int64_t mean_samples = 10000;  ///< latents that the mean style is taken of
  double initial_noise = 0.05;        ///< of the style at first, in deviations of styles
  double noise_weight = 1e5;          ///< against images hidden in the noise maps
  std::uint64_t seed = 0;
  at::Tensor label = {};  ///< [1] int64 of a conditional generator; else undefined
};

/// What was found.
struct Projection {
  at::Tensor style;         ///< [1, w_count, w_dim], the same vector for every layer
  NamedTensors noise_maps;  ///< by the names of the generator's buffers
  at::Tensor image;         ///< [1, C, H, W]
  double distance = 0;      ///< of the image to the target
};

/// Returns the distance of two images: the mean squared differences of all levels of an image
/// pyramid, from full size down to 8 pixels, added up. [N, C, H, W] each.
at::Tensor pyramid_distance(const at::Tensor& a, const at::Tensor& b);

/// Seeks the style and the noise maps whose image is nearest to `target`.
///
/// Paper:  Karras et al. 2020, arXiv:1912.04958, appendix D, with pyramid_distance() in place of a
///         network's perceptual distance.
/// target: [1, C, H, W] in [-1, 1], of the generator's size and type.
/// report: called after each step with its number and the distance.
/// The generator, in eval mode, is left as it was.
Projection project(models::StyleGenerator& generator, const at::Tensor& target,
                   const ProjectionOptions& options,
                   const std::function<void(int step, double distance)>& report);

}  // namespace ganscale::training
