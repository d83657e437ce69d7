#pragma once

#include <algorithm>
#include <bit>

namespace ganscale::kernels {

/// The threads of a block of upfirdn2d's strips. A column of outputs takes one for each vector of
/// its channels.
struct StripBlock {
  static constexpr unsigned kMostThreads = 256;
  unsigned vectors = 1;
  unsigned columns = 1;
  unsigned strips = 1;

  constexpr unsigned warps() const { return (vectors * columns * strips + 31) / 32; }
  /// Returns the warps that a strip of `width` columns of `of_pixel` vectors takes.
  constexpr double warps_of_strip(unsigned width, unsigned of_pixel) const {
    const unsigned blocks =
        ((width + columns - 1) / columns) * ((of_pixel + vectors - 1) / vectors);
    return static_cast<double>(blocks * warps()) / strips;
  }
};

constexpr StripBlock strip_block_of_columns(unsigned columns, unsigned of_pixel) {
  constexpr unsigned kThreads = StripBlock::kMostThreads;
  constexpr unsigned kMostStrips = 64;  // a device's limit along z
  const unsigned vectors = std::min(std::bit_ceil(of_pixel), std::bit_floor(kThreads / columns));
  return {vectors, columns, std::min(kThreads / (vectors * columns), kMostStrips)};
}

/// Returns the block that takes the fewest warps for an image of `width` columns of `of_pixel`
/// vectors, and of those the widest: the widths of StyleGAN2 are 2^k and 2^k + 1. A narrow block
/// reads more of its columns twice: it has at least half of `most_columns`, if the image does.
constexpr StripBlock strip_block_of(unsigned width, unsigned of_pixel, unsigned most_columns) {
  const unsigned widest = std::min(width, most_columns);
  StripBlock best = strip_block_of_columns(widest, of_pixel);
  for (unsigned columns = widest; columns-- > std::min(width, most_columns / 2);) {
    const StripBlock block = strip_block_of_columns(columns, of_pixel);
    if (block.warps_of_strip(width, of_pixel) < best.warps_of_strip(width, of_pixel)) best = block;
  }
  return best;
}

}  // namespace ganscale::kernels
