#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "cli/image_sampler.h"

namespace ganscale::cli {

/// How a video walks from image to image.
struct Walk {
  int frames_per_step = 60;
  int frames_per_second = 30;
};

/// Writes a video that walks through all images of the order and back to the first: between
/// styles, where the model has them, else between latents.
void write_walk(const ImageSampler& sampler, const SampleSpec& spec, const Walk& walk,
                const std::filesystem::path& file);

/// Returns the points of a closed walk through `keys`, [N, ...]: `steps` from each to the next,
/// evenly along a smooth curve through all (a periodic Catmull-Rom spline): [N * steps, ...].
at::Tensor closed_walk(const at::Tensor& keys, int steps);

}  // namespace ganscale::cli
