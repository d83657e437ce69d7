#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "kernels/launch/scalar_type.h"

/// How the threads of a device share a dense batch of images in which each channel has a value of
/// its own: a bias, a scale, a sum.
namespace ganscale::kernels {

/// Returns how many elements a thread reads or writes at once: 16 bytes.
constexpr std::int64_t vector_elements(ScalarType type) {
  if (type == ScalarType::kFloat64) return 2;
  return type == ScalarType::kFloat32 ? 4 : 8;
}

/// A thread keeps its channels and walks over vectors, so that no element costs a division.
///
/// Channels last: it has one place in a row and walks down the rows of an image. A row is a pixel,
/// or as many of them as end together with a vector. Planes: it has a plane and walks along it.
struct ChannelWalk {
  static constexpr std::int64_t kThreads = 256;  ///< of a block, at most

  bool channels_last = false;
  std::int64_t group_count = 0;     ///< images that have values of their own, or planes
  std::int64_t group_elements = 0;  ///< of such an image, or of a plane
  std::int64_t channel_count = 0;   ///< of a pixel; or planes after which the values repeat
  std::int64_t row_elements = 0;    ///< of channels last
  std::int64_t threads_x = 0;       ///< side by side in a row
  std::int64_t threads_y = 0;       ///< one below the other: of rows, or of planes
  std::int64_t blocks_x = 0;        ///< side by side in a row, or of planes
  std::int64_t parts = 0;           ///< blocks that share an image, or planes

  /// Returns how many rows of partial sums the blocks leave, each with all sums one after another:
  /// group_count * channel_count for channels last, else channel_count.
  constexpr std::int64_t partial_rows() const {
    return parts * (channels_last ? row_elements / channel_count : group_count / channel_count);
  }
};

/// Returns by how many blocks to share what one could walk in `steps`, of `others` that are busy
/// with something else: enough to fill a device, and more only if each still walks far.
constexpr std::int64_t walk_parts(std::int64_t steps, std::int64_t others) {
  constexpr std::int64_t kFewBlocks = 256;
  constexpr std::int64_t kManyBlocks = 2048;
  constexpr std::int64_t kFarSteps = 8;
  const std::int64_t few = std::min(steps, (kFewBlocks + others - 1) / others);
  const std::int64_t many = std::min(steps / kFarSteps, (kManyBlocks + others - 1) / others);
  return std::max<std::int64_t>({few, many, 1});
}

/// Channels last, `images` with values of their own, or 1 with the pixels of all.
///
/// width: of a vector, in elements.
constexpr ChannelWalk walk_over_pixels(std::int64_t images, std::int64_t pixels,
                                       std::int64_t channels, std::int64_t width) {
  ChannelWalk walk{.channels_last = true,
                   .group_count = images,
                   .group_elements = pixels * channels,
                   .channel_count = channels,
                   .row_elements = std::lcm(channels, width)};
  const std::int64_t vectors = walk.row_elements / width;
  walk.blocks_x = (vectors + ChannelWalk::kThreads - 1) / ChannelWalk::kThreads;
  walk.threads_x = (vectors + walk.blocks_x - 1) / walk.blocks_x;
  walk.threads_y = ChannelWalk::kThreads / walk.threads_x;
  const std::int64_t rows = (walk.group_elements + walk.row_elements - 1) / walk.row_elements;
  const std::int64_t steps = (rows + walk.threads_y - 1) / walk.threads_y;
  walk.parts = walk_parts(steps, walk.blocks_x * images);
  return walk;
}

/// Contiguous planes, the values of which repeat after `channels` of them.
constexpr ChannelWalk walk_over_planes(std::int64_t planes, std::int64_t pixels,
                                       std::int64_t channels, std::int64_t width) {
  ChannelWalk walk{.group_count = planes, .group_elements = pixels, .channel_count = channels};
  const auto vectors = static_cast<std::uint64_t>((pixels + width - 1) / width);
  walk.threads_x = std::min(static_cast<std::int64_t>(std::bit_ceil(vectors)),
                            ChannelWalk::kThreads);  // a power of two, which shuffles sum
  walk.threads_y = ChannelWalk::kThreads / walk.threads_x;
  walk.blocks_x = (planes + walk.threads_y - 1) / walk.threads_y;
  const std::int64_t steps = (pixels + walk.threads_x * width - 1) / (walk.threads_x * width);
  walk.parts = walk_parts(steps, walk.blocks_x);
  return walk;
}

/// A dense batch of images: contiguous, or channels last.
struct ImageLayout {
  ScalarType type = ScalarType::kFloat32;
  std::int64_t image_count = 0;
  std::int64_t channel_count = 0;
  std::int64_t pixel_count = 0;  ///< of a channel
  bool channels_last = false;
};

/// Returns how a device walks over images of which each channel has a value.
constexpr ChannelWalk walk_of(const ImageLayout& layout) {
  const std::int64_t width = vector_elements(layout.type);
  if (layout.channels_last) {
    return walk_over_pixels(layout.image_count, layout.pixel_count, layout.channel_count, width);
  }
  const std::int64_t planes = layout.image_count * layout.channel_count;
  return walk_over_planes(planes, layout.pixel_count, planes, width);
}

}  // namespace ganscale::kernels
