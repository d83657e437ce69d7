#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <variant>

#include "kernels/launch/channel_walk.h"

/// How the products of features and colors are computed: plain pointers, the same contract for
/// every device.
namespace ganscale::kernels {

constexpr std::int64_t kMostColors = 4;

/// Arrays are channels last, and dense but for weights that are read:
/// features [image_count, pixel_count, feature_count],
/// colors   [image_count, pixel_count, color_count],
/// weights  [image_count, color_count, feature_count].
struct ColorLayout {
  ScalarType type = ScalarType::kFloat32;
  std::int64_t image_count = 0;  ///< that have weights of their own; one: with the pixels of all
  std::int64_t pixel_count = 0;  ///< of such an image
  std::int64_t feature_count = 0;
  std::int64_t color_count = 0;  ///< at most kMostColors
};

/// Weights that are read. Those of a color are one after another.
struct ColorWeights {
  const void* first = nullptr;
  std::int64_t image_stride = 0;  ///< elements
  std::int64_t color_stride = 0;
};

/// colors = features * weights, summed over the features of a pixel.
struct ColorsArrays {
  void* colors = nullptr;
  const void* features = nullptr;
  ColorWeights weights = {};
};

/// features = colors * weights, summed over the colors of a pixel.
struct FeaturesArrays {
  void* features = nullptr;
  const void* colors = nullptr;
  ColorWeights weights = {};
};

/// sums[r] = features * colors, summed over some pixels: in float32 for low-precision types, which
/// sums are too. A host takes all pixels for one row, a device leaves color_parts(layout).
struct ColorWeightsArrays {
  void* sums = nullptr;  ///< [rows] of weights
  const void* features = nullptr;
  const void* colors = nullptr;
};

using ColorProductsArrays = std::variant<ColorsArrays, FeaturesArrays, ColorWeightsArrays>;

/// Host memory: float32 and float64 only.
void color_products_reference(const ColorProductsArrays& arrays, const ColorLayout& layout);

/// The same in device memory, in `cuda_stream` (a cudaStream_t) of the current device. Throws
/// DeviceError if the launch fails, and in a build without CUDA.
void color_products_kernel(const ColorProductsArrays& arrays, const ColorLayout& layout,
                           void* cuda_stream);

/// How the threads of a device share images: each works on some pixels at a time, one after another
/// in memory, so that their reads need not wait for each other.
struct ColorWalk {
  static constexpr std::int64_t kThreads = 256;  ///< of a block, at most
  static constexpr std::int64_t kPixels = 4;

  std::int64_t threads_x = 0;      ///< side by side in a pixel, each with a vector of features
  std::int64_t threads_y = 0;      ///< of other pixels
  std::int64_t column_blocks = 1;  ///< side by side in a pixel
  std::int64_t parts = 1;          ///< blocks that share an image
};

/// Returns how many elements a vector of features has, if memory is aligned.
constexpr std::int64_t color_vector(const ColorLayout& layout) {
  const std::int64_t width = vector_elements(layout.type);
  return layout.feature_count % width == 0 ? width : 1;
}

/// Returns by how many blocks to share an image, of which each sees so many pixels at a time.
constexpr std::int64_t parts_of_image(const ColorLayout& layout, const ColorWalk& walk) {
  const std::int64_t pixels = walk.threads_y * ColorWalk::kPixels;
  return walk_parts((layout.pixel_count + pixels - 1) / pixels,
                    walk.column_blocks * layout.image_count);
}

/// Returns the walk in which a few threads share the features of a pixel, and add up what they
/// have: a power of two, which shuffles sum.
constexpr ColorWalk walk_of_pixels(const ColorLayout& layout, std::int64_t width) {
  constexpr std::int64_t kMostLanes = 8;  // with vectors of 16 bytes, they read 128
  const auto vectors = static_cast<std::uint64_t>(layout.feature_count / width);
  ColorWalk walk{.threads_x =
                     std::min(static_cast<std::int64_t>(std::bit_ceil(vectors)), kMostLanes)};
  walk.threads_y = ColorWalk::kThreads / walk.threads_x;
  walk.parts = parts_of_image(layout, walk);
  return walk;
}

/// Returns the walk in which a thread keeps its vector of features, and goes from pixel to pixel.
constexpr ColorWalk walk_of_features(const ColorLayout& layout, std::int64_t width) {
  const std::int64_t vectors = layout.feature_count / width;
  ColorWalk walk{.column_blocks = (vectors + ColorWalk::kThreads - 1) / ColorWalk::kThreads};
  walk.threads_x = (vectors + walk.column_blocks - 1) / walk.column_blocks;
  walk.threads_y = ColorWalk::kThreads / walk.threads_x;
  walk.parts = parts_of_image(layout, walk);
  return walk;
}

/// Returns how many rows of sums a device leaves.
constexpr std::int64_t color_parts(const ColorLayout& layout) {
  return walk_of_features(layout, color_vector(layout)).parts;
}

}  // namespace ganscale::kernels
