#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/upfirdn2d/fill.h"

/// What all kernels of upfirdn2d share.
namespace ganscale::kernels {

constexpr std::int64_t kMostGridColumns = 0x7FFFFFFF;
constexpr std::int64_t kMostGridRows = 65535;

/// The parameters of a thread, in 32 bits for sizes within a plane.
struct Work {
  const void* addend;  ///< laid out as the outputs; null: none
  PixelStrides x_strides;
  PixelStrides out_strides;
  std::int64_t image_count;
  int channels;
  Sides<int> in, out, filter;
  int up_x, up_y, down_x, down_y;
  int pad_left, pad_top;
  double gain;
  bool flip_filter;
};

/// Copies the filter to shared memory in the order of correlation, multiplied by the gain.
template <class Sum>
__device__ const Sum* load_filter(const Sum* filter, const Work& work) {
  __shared__ Sum taps[kMostTaps];
  const int count = work.filter.height * work.filter.width;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  for (int i = thread; i < count; i += blockDim.x * blockDim.y * blockDim.z) {
    taps[i] = filter[work.flip_filter ? i : count - 1 - i] * static_cast<Sum>(work.gain);
  }
  __syncthreads();
  return taps;
}

/// Returns where the addend of the output `place` elements behind the first is; null without one.
template <class T>
__device__ const T* addend_of(const Work& work, std::int64_t place) {
  return work.addend == nullptr ? nullptr : static_cast<const T*>(work.addend) + place;
}

/// Returns what is added to that output.
template <class Sum, class T>
__device__ Sum added_at(const Work& work, std::int64_t place) {
  const T* addend = addend_of<T>(work, place);
  return addend == nullptr ? Sum(0) : static_cast<Sum>(*addend);
}

/// The first tap of an output that covers a pixel rather than an inserted zero, and that pixel.
struct First {
  int tap;
  int pixel;
};

template <int kUp>
__device__ First first_of(int out, int down, int up_if_any, int pad) {
  const int up = kUp > 0 ? kUp : up_if_any;
  const int position = out * down - pad;
  int tap = -position % up;
  if (tap < 0) tap += up;
  return {tap, (position + tap) / up};
}

/// Returns one output. kUp is the factor of both axes, or 0 for any.
template <int kUp, class T, class Sum>
__device__ Sum value_at(const T* plane, const Sum* taps, const Work& work, int out_y, int out_x) {
  const int up_x = kUp > 0 ? kUp : work.up_x;
  const int up_y = kUp > 0 ? kUp : work.up_y;
  const First first_y = first_of<kUp>(out_y, work.down_y, work.up_y, work.pad_top);
  const First first_x = first_of<kUp>(out_x, work.down_x, work.up_x, work.pad_left);
  Sum sum = 0;
  int y = first_y.pixel;
  for (int tap_y = first_y.tap; tap_y < work.filter.height; tap_y += up_y, ++y) {
    if (y < 0 || y >= work.in.height) continue;
    const T* row = plane + y * work.x_strides.row;
    const Sum* row_taps = taps + tap_y * work.filter.width;
    int x = first_x.pixel;
    for (int tap_x = first_x.tap; tap_x < work.filter.width; tap_x += up_x, ++x) {
      if (x < 0 || x >= work.in.width) continue;
      sum += row_taps[tap_x] * static_cast<Sum>(row[x * work.x_strides.column]);
    }
  }
  return sum;
}

}  // namespace ganscale::kernels
