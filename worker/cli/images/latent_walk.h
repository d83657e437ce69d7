#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

#include "cli/images/image_sampler.h"
#include "report/media/image_grid.h"

namespace ganscale::cli {

/// A walk through latent space.
struct Walk {
  std::vector<SampleSpec> cells;  ///< the images that each cell of a frame passes, as many in each
  report::GridLayout layout = {.columns = 1};  ///< of a frame
  int frames_per_step = 60;
  int frames_per_second = 30;
};

/// Writes a video in which each cell passes all its images and returns to the first: between styles
/// if the model has them, otherwise between latents.
void write_walk(const ImageSampler& sampler, const Walk& walk, const std::filesystem::path& file);

/// Returns the points of a closed walk through `keys`, [N, ...]: `steps` from each key to the next,
/// along a periodic Catmull-Rom spline: [N * steps, ...].
at::Tensor closed_walk(const at::Tensor& keys, int steps);

}  // namespace ganscale::cli
