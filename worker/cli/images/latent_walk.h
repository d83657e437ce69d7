#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "cli/images/image_sampler.h"

namespace ganscale::cli {

/// The speed of a walk through latent space.
struct Walk {
  int frames_per_step = 60;
  int frames_per_second = 30;
};

/// Writes a video that walks through all images and back to the first: between styles if the model
/// has them, otherwise between latents.
void write_walk(const ImageSampler& sampler, const SampleSpec& spec, const Walk& walk,
                const std::filesystem::path& file);

/// Returns the points of a closed walk through `keys`, [N, ...]: `steps` from each key to the next,
/// along a periodic Catmull-Rom spline: [N * steps, ...].
at::Tensor closed_walk(const at::Tensor& keys, int steps);

}  // namespace ganscale::cli
