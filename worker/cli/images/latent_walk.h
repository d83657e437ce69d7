#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

#include "cli/images/image_sampler.h"
#include "models/contract/image_motion.h"
#include "report/media/image_grid.h"

namespace ganscale::cli {

/// A walk through latent space.
struct Walk {
  std::vector<SampleSpec> cells;  ///< the images that each cell of a frame passes, as many in each
  report::GridLayout layout = {.columns = 1};  ///< of a frame
  int frames_per_step = 60;
  int frames_per_second = 30;
  /// Of the whole walk, see motion_at(); not 0 only for a generator that moves its images.
  models::ImageMotion motion = {};
};

/// Writes a video in which each cell passes all its images and returns to the first: between styles
/// if the model has them, otherwise between latents.
void write_walk(const ImageSampler& sampler, const Walk& walk, const std::filesystem::path& file);

/// Returns how images lie at `t` in [0, 1) of a walk: turned by that part of the whole angle, and
/// on the way to the whole translation and back, which is smooth at both ends.
models::ImageMotion motion_at(const models::ImageMotion& whole, double t);

/// Returns the points of a closed walk through `keys`, [N, ...]: `steps` from each key to the next,
/// along a periodic Catmull-Rom spline: [N * steps, ...].
at::Tensor closed_walk(const at::Tensor& keys, int steps);

/// Returns such a walk through latents, [N, z_dim]. Its length changes evenly from key to key, as
/// that of latent_between().
at::Tensor closed_latent_walk(const at::Tensor& z, int steps);

/// Returns the image at `t` in [0, 1] of a straight walk from one sample to another, with the label
/// of the first, [1, C, H, W]: between styles if the model has them, otherwise between latents. At
/// 0 and 1 it is the sample's.
at::Tensor image_between(const ImageSampler& sampler, const SampleSpec& from, const SampleSpec& to,
                         double t);

/// Returns the latent at `t` in [0, 1] of a walk from one to another, [N, z_dim]. Its length
/// changes evenly: on the straight line it would become shorter than those that the generator was
/// trained on.
at::Tensor latent_between(const at::Tensor& from, const at::Tensor& to, double t);

}  // namespace ganscale::cli
