#pragma once

#include <cstdint>
#include <vector>

#include "config/section.h"
#include "schedule/schedule.h"

namespace torch::nn {
class Module;
}

namespace ganscale::optim {

/// The decay of the generator's moving average.
struct EmaConfig {
  double kimg = 10;    ///< half-life in thousands of images; 0: no averaging
  double ramp_up = 0;  ///< upper limit of the half-life as a fraction of the images seen; 0: none
  double start_kimg = 0;             ///< until then the average is the generator itself
  schedule::Schedule schedule = {};  ///< of the half-life, from `kimg` to another
  std::vector<double> others = {};   ///< constant half-lives of further averages, like `kimg`

  /// Returns the configuration of a further average.
  EmaConfig with(double half_life_kimg) const;
};

/// Reads ema_kimg, ema_schedule, ema_ramp_up, ema_start_kimg and other_ema_kimg of the generator's
/// section; the caller reads the other keys.
EmaConfig read_ema(config::Section& in);

/// Returns the half-life in images after `images_seen` images.
double ema_half_life_images(const EmaConfig& config, std::int64_t images_seen);

/// Returns beta of ema = beta * ema + (1 - beta) * parameter for a step with global batch size
/// `batch` after `images_seen` images: 0.5^(batch / half-life); 0 before the average starts.
///
/// Source: Karras et al. 2020, arXiv:2006.06676, Appendix (half-life in images, ramp-up); the start
///         follows BigGAN's public implementation.
double ema_beta(const EmaConfig& config, std::int64_t batch, std::int64_t images_seen);

/// Updates the parameters of `ema` with `source`'s and copies the buffers (the running
/// statistics of batch norm are averages already). Both have the same architecture.
void update_ema(torch::nn::Module& ema, const torch::nn::Module& source, double beta);

/// Copies only the buffers, for optimizers that have updated the averages of the parameters.
void copy_buffers(torch::nn::Module& ema, const torch::nn::Module& source);

}  // namespace ganscale::optim
