#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <utility>

namespace ganscale::features {

constexpr int kSide = 32;  ///< pixels; smaller images are padded with black, as a run's `fit: pad`

/// Images with their labels.
struct LabeledImages {
  at::Tensor images;  ///< [N, C, 32, 32] uint8
  at::Tensor labels;  ///< [N] int64
  std::int64_t label_count = 0;
};

/// Reads a whole dataset of any format that ganscale reads. channels: 1 or 3; 0: as in its
/// first image. Throws DataError if it has no labels or other channels.
LabeledImages read_labeled(const std::filesystem::path& dataset, int channels = 0);

/// Splits off every tenth image, to test with: {training, test}.
std::pair<LabeledImages, LabeledImages> hold_out(const LabeledImages& all);

/// Reads all PNG files of a folder, in the order of their names: [N, 1, 32, 32] uint8. Throws
/// DataError for an empty folder and for images that are larger or not gray.
at::Tensor read_gray_images(const std::filesystem::path& folder);

}  // namespace ganscale::features
