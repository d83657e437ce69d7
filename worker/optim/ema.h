#pragma once

#include <cstdint>

#include "config/section.h"

namespace torch::nn {
class Module;
}

namespace ganscale::optim {

/// How fast the averaged generator follows.
struct EmaConfig {
  double kimg = 10;    ///< half-life in thousand images; 0: the average is the generator itself
  double ramp_up = 0;  ///< half-life as a part of the images seen, while that is shorter; 0: none
};

/// Reads ema_kimg and ema_ramp_up of the generator's section; its other keys are the caller's.
EmaConfig read_ema(config::Section& in);

/// Returns beta of ema = beta * ema + (1 - beta) * parameter for a step of `batch` images (the
/// whole world's) after `images_seen` images: 0.5^(batch / half-life).
///
/// Source: Karras et al. 2020, arXiv:2006.06676, Appendix (half-life in images, ramp-up).
double ema_beta(const EmaConfig& config, std::int64_t batch, std::int64_t images_seen);

/// Moves the parameters of `ema` toward those of `source` and copies the buffers (batch norm's
/// running statistics are averages already). Both are of one architecture.
void update_ema(torch::nn::Module& ema, const torch::nn::Module& source, double beta);

/// Copies the buffers alone: what is left to do where an optimizer moved the parameters' averages.
void copy_buffers(torch::nn::Module& ema, const torch::nn::Module& source);

}  // namespace ganscale::optim
