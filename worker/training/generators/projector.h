#pragma once

#include <functional>

#include "metrics/networks/perceptual_net.h"
#include "models/contract/style_generator.h"
#include "tensors/named_tensors.h"

namespace ganscale::training {

/// Options of projection. The defaults are the paper's.
struct ProjectionOptions {
  int step_count = 1000;
  double learning_rate = 0.1;
  std::int64_t mean_samples = 10000;  ///< number of latents for the mean style
  double initial_noise = 0.05;        ///< of the style, relative to the deviation of styles
  double noise_weight = 1e5;          ///< of the penalty that keeps the image out of the noise maps
  std::uint64_t seed = 0;
  at::Tensor label = {};  ///< [1] int64 of a conditional generator; else undefined
  /// Gives the distance of two images; null: pyramid_distance().
  metrics::PerceptualNet* perceptual_net = nullptr;
};

/// The result of a projection.
struct Projection {
  at::Tensor style;         ///< [1, w_count, w_dim], the same vector for every layer
  NamedTensors noise_maps;  ///< by the names of the generator's buffers; none without noise
  at::Tensor image;         ///< [1, C, H, W]
  double distance = 0;      ///< of the image to the target
};

/// Returns the distance of two images, [N, C, H, W]: the sum of mean squared differences over all
/// levels of an image pyramid, from full size down to 8 pixels.
at::Tensor pyramid_distance(const at::Tensor& a, const at::Tensor& b);

/// Optimizes the style and the noise maps so that the image is nearest to `target`.
///
/// Paper:  Karras et al. 2020, arXiv:1912.04958, appendix D.
/// target: [1, C, H, W] in [-1, 1], of the generator's size and type.
/// report: called after each step with its number and the distance.
/// The generator must be in eval mode, and is not changed.
Projection project(models::StyleGenerator& generator, const at::Tensor& target,
                   const ProjectionOptions& options,
                   const std::function<void(int step, double distance)>& report);

}  // namespace ganscale::training
