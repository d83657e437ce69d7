#pragma once

#include "kernels/launch/async_copy.cuh"
#include "kernels/upfirdn2d/strip.cuh"
#include "kernels/upfirdn2d/strip_block.h"

/// upfirdn2d by strips, whose rows pass through shared memory: while a block computes with the rows
/// of one step, those of the next steps are being copied. What threads can keep in registers is too
/// little to use the bandwidth of a device.
namespace ganscale::kernels {

/// The shared memory of a block, in vectors of 16 bytes: for all blocks with at least four columns.
template <int kUp, int kDown>
struct StagedRows {
  static constexpr int kStages = kDown == 2 ? 2 : 4;
  static constexpr int kStageVectors = kDown == 2 ? 1280 : kUp == 2 ? 256 : 448;

  /// Returns the most pixels of a row that lie under this many outputs side by side.
  static constexpr unsigned pixels_under(unsigned columns) {
    return (columns - 1) * kDown / kUp + kStripTaps / kUp + (kUp - 1);
  }
  static constexpr unsigned vectors_of_strip(const StripBlock& block) {
    return kDown * pixels_under(block.columns) * block.vectors;
  }
  static constexpr bool holds(const StripBlock& block) {
    return vectors_of_strip(block) * block.strips <= unsigned{kStageVectors};
  }
};

/// The rows under the outputs of a block's strip. Each thread copies every blockDim.y-th pixel of
/// its vector of channels.
template <int kUp, int kDown, int kWidth, class T>
struct RowCopies {
  using Pixels = Vector<T, kWidth>;
  using Rows = StagedRows<kUp, kDown>;

  const T* x;      ///< pixel (0, 0) of the thread's channels, or of others if it has none
  Pixels* stages;  ///< of all strips
  int first_row;   ///< of step 0
  int first_pixel;
  int pixel_count;
  int step_count;
  bool has_channels;

  __device__ Pixels* pixels_of(int step, int row) const {
    const int strip = (step % Rows::kStages) * blockDim.z + threadIdx.z;
    return stages + ((strip * kDown + row) * pixel_count) * blockDim.x + threadIdx.x;
  }

  /// Starts to copy the rows of a step, if there is one.
  __device__ void start(int step, const Work& work) const {
    for (int k = 0; k < kDown && step < step_count; ++k) {
      const int y = first_row + step * kDown + k;
      const bool has_row = has_channels && y >= 0 && y < work.in.height;
      const T* row = x + y * work.x_strides.row;
      Pixels* to = pixels_of(step, k);
      for (int pixel = threadIdx.y; pixel < pixel_count; pixel += blockDim.y) {
        const int column = first_pixel + pixel;
        const bool is_there = has_row && column >= 0 && column < work.in.width;
        copy_async(is_there ? row + column * work.x_strides.column : x, is_there,
                   to + pixel * blockDim.x);
      }
    }
    end_copies();
  }

  /// Reads what the rows of a step have under the taps of an output.
  __device__ void read(int step, int pixel, Pixels (&read)[kDown][kStripTaps / kUp]) const {
    for (int k = 0; k < kDown; ++k) {
      const Pixels* row = pixels_of(step, k);
      for (int i = 0; i < kStripTaps / kUp; ++i) read[k][i] = row[(pixel + i) * blockDim.x];
    }
  }
};

/// Computes the strip; all threads of the block take part.
template <int kUp, int kDown, int kWidth, class T, class Sum>
__device__ void walk_down_staged(const StripPlace<T>& place, const Product<Sum>& filter,
                                 const Work& work, const RowCopies<kUp, kDown, kWidth, T>& copies) {
  constexpr int kStages = StagedRows<kUp, kDown>::kStages;
  for (int step = 0; step < kStages - 1; ++step) copies.start(step, work);
  const auto across = across_of<kUp, kDown>(filter, work, place.out_x);
  Open<kUp, kDown, kWidth, Sum> open = {};
  int out_y = place.first_row - open.kStepsToFirst * kUp;
  for (int step = 0; step < copies.step_count; ++step, out_y += kUp) {
    wait_for_copies<kStages - 2>();
    __syncthreads();  // also: everyone has read the stage that is copied to next
    copies.start(step + kStages - 1, work);
    Vector<T, kWidth> read[kDown][kStripTaps / kUp];
    copies.read(step, across.first_pixel - copies.first_pixel, read);
    Sum rows[kDown][kWidth];
    filter_rows<kUp>(read, across, rows);
    Sum done[kUp][kWidth];
    take_rows<kUp, kDown>(rows, filter.column, open, done);
    write_rows(place, work, out_y, done);
  }
}

/// For pixels of `kWidth` values side by side, channels last. Threads are (vectors, columns,
/// strips).
template <int kUp, int kDown, int kWidth, class T, class Sum>
__global__ void __launch_bounds__(StripBlock::kMostThreads, sizeof(Sum) == 8 ? 1 : 3)
    by_staged_strip(const T* __restrict__ x, const Sum* __restrict__ filter, T* __restrict__ out,
                    Work work, Strips strips) {
  using Rows = StagedRows<kUp, kDown>;
  __shared__ Vector<T, kWidth> stages[Rows::kStages * Rows::kStageVectors];
  static_assert(sizeof(stages) + kMostTaps * sizeof(Sum) <= 48 * 1024, "what a block may have");
  const Sum* taps = load_filter(filter, work);
  const StripPlace<T> place = strip_place_of<kUp, kWidth>(x, out, work, strips);
  const Product<Sum> product = product_of(taps);
  if (!product.is_product) return apply_each_tap<kUp, kWidth>(place, taps, work);
  const int first_output = blockIdx.y * blockDim.y;
  const RowCopies<kUp, kDown, kWidth, T> copies{
      .x = place.has_channels ? place.x : x,
      .stages = stages,
      .first_row = first_input_row<kUp, kDown>(place, work),
      .first_pixel = first_of<kUp>(first_output, kDown, kUp, work.pad_left).pixel,
      .pixel_count = static_cast<int>(Rows::pixels_under(blockDim.y)),
      .step_count = strips.row_count / kUp + Open<kUp, kDown, kWidth, Sum>::kStepsToFirst,
      .has_channels = place.has_channels};
  walk_down_staged(place, product, work, copies);
}

}  // namespace ganscale::kernels
