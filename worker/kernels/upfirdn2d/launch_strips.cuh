#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/launch/launch.cuh"
#include "kernels/upfirdn2d/staged_strip.cuh"
#include "kernels/upfirdn2d/strip.cuh"
#include "kernels/upfirdn2d/strip_block.h"

/// Chooses and launches the kernels of strip.cuh and staged_strip.cuh.
namespace ganscale::kernels {

constexpr unsigned kMostStagedColumns = 32;
constexpr unsigned kMostPlaneColumns = 128;

/// Returns the rows of a strip, of all rows of an image, such that strips differ by few rows.
/// longest: of those that leave enough blocks to keep a device busy.
template <int kUp>
int strip_rows(std::int64_t rows, std::int64_t longest) {
  // Long strips read few rows twice.
  const std::int64_t wanted = std::clamp<std::int64_t>(longest, 4, 32);
  const std::int64_t strips = std::max<std::int64_t>(1, (rows + wanted / 2) / wanted);
  const std::int64_t of_strip = (rows + strips - 1) / strips;
  return static_cast<int>((of_strip + kUp - 1) / kUp * kUp);
}

/// Launches a kernel for pixels of `kWidth` values side by side, or for planes if it is 1.
template <int kUp, int kDown, int kWidth, class T, class Sum>
void launch_strips_of(const UpfirdnMemory& memory, const Work& work, const StripBlock& block,
                      void* stream) {
  constexpr std::int64_t kBlocks = 1024;  // that keep a device busy
  Strips strips{.planes_of_image = kWidth == 1 ? work.channels : 1,
                .vectors = kWidth == 1 ? 1 : work.channels / kWidth};
  const std::int64_t planes = work.image_count * strips.planes_of_image;
  const dim3 threads(block.vectors, block.columns, block.strips);
  const unsigned column_blocks = block_count(work.out.width, block.columns, kMostGridColumns);
  const unsigned vector_blocks = block_count(strips.vectors, block.vectors, kMostGridColumns);
  const std::int64_t lead = kUp == 2 ? (work.pad_top + 1) & 1 : 0;
  const std::int64_t rows = work.out.height + lead;
  strips.row_count = strip_rows<kUp>(
      rows, planes * work.out.height * column_blocks * vector_blocks / (kBlocks * threads.z));
  strips.strips_of_plane = (rows + strips.row_count - 1) / strips.row_count;
  strips.strip_count = planes * strips.strips_of_plane;
  const dim3 blocks(block_count(strips.strip_count, threads.z, kMostGridColumns), column_blocks,
                    vector_blocks);
  void (*kernel)(const T*, const Sum*, T*, Work, Strips) = nullptr;
  if constexpr (kWidth == 1) {
    kernel = by_strip<kUp, kDown, T, Sum>;
  } else {
    kernel = by_staged_strip<kUp, kDown, kWidth, T, Sum>;
  }
  launch_kernel("upfirdn2d", {blocks, threads}, stream, kernel, static_cast<const T*>(memory.x),
                static_cast<const Sum*>(memory.filter), static_cast<T*>(memory.out), work, strips);
}

/// Returns whether all pixels lie where accesses of `kWidth` values reach them.
template <int kWidth, class T>
bool has_vectors(const UpfirdnMemory& memory, const Work& work) {
  const auto lies_well = [&](const void* pixels, const PixelStrides& strides) {
    return strides.channel == 1 && are_aligned({pixels}) && strides.column % kWidth == 0 &&
           strides.row % kWidth == 0 && strides.image % kWidth == 0;
  };
  return work.channels % kWidth == 0 && lies_well(memory.x, memory.x_strides) &&
         lies_well(memory.out, memory.out_strides) && lies_well(memory.addend, memory.out_strides);
}

template <int kUp, int kDown, class T, class Sum>
bool launch_strips_by(const UpfirdnMemory& memory, const Work& work, void* stream) {
  constexpr int kWidth = kVectorBytes / sizeof(T);
  constexpr int kManyChannels = 8;  // that single values of planes would lie far apart
  const auto columns = static_cast<unsigned>(work.out.width);
  if (has_vectors<kWidth, T>(memory, work)) {
    const auto vectors = static_cast<unsigned>(work.channels / kWidth);
    const StripBlock block = strip_block_of(columns, vectors, kMostStagedColumns);
    if (!StagedRows<kUp, kDown>::holds(block)) return false;  // up to three columns
    launch_strips_of<kUp, kDown, kWidth, T, Sum>(memory, work, block, stream);
    return true;
  }
  if (work.out_strides.column != 1 && work.channels >= kManyChannels) return false;
  const StripBlock block = strip_block_of(columns, 1, kMostPlaneColumns);
  launch_strips_of<kUp, kDown, 1, T, Sum>(memory, work, block, stream);
  return true;
}

/// Launches one of the kernels, or returns false if none can do it.
template <class T, class Sum>
bool launch_strips(const UpfirdnMemory& memory, const Work& work, void* stream) {
  const auto has = [&](int up, int down) {
    return work.up_x == up && work.up_y == up && work.down_x == down && work.down_y == down;
  };
  if (work.filter.height != kStripTaps || work.filter.width != kStripTaps) return false;
  if (has(1, 1)) return launch_strips_by<1, 1, T, Sum>(memory, work, stream);
  if (has(2, 1)) return launch_strips_by<2, 1, T, Sum>(memory, work, stream);
  if (has(1, 2)) return launch_strips_by<1, 2, T, Sum>(memory, work, stream);
  return false;
}

}  // namespace ganscale::kernels
