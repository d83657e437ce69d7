#pragma once

#include <cstdint>
#include <string>

#include "data/image/source.h"

namespace ganscale::training {

/// What a dataset suggests about a training.
struct Survey {
  std::int64_t images = 0;
  std::int64_t labels = 0;
  int side = 0;          ///< in pixels: the median of the shorter sides of the sampled images
  bool is_gray = false;  ///< all sampled images are
};

/// Samples a dataset. Damaged records don't count; throws DataError if all that it sampled are, and
/// StorageError if the storage failed.
Survey survey(const data::Source& source);

/// What a machine suggests about it.
struct Workplace {
  bool has_gpu = false;
  int cores = 1;
  int ranks = 1;
};

/// Returns a configuration, as YAML, with which a training on this dataset is likely to succeed: model,
/// resolution, labels, batch, augmentation and length.
///
/// On a GPU StyleGAN2 with its preset `auto` at up to 256 pixels, on a CPU a DC-GAN with the settings of
/// configs/runs/demo-emoji32.yaml at 32 pixels, or 64 with many cores; conditional if there are labels.
std::string suggest_config(const std::string& path, const Survey& data, const Workplace& workplace);

}  // namespace ganscale::training
