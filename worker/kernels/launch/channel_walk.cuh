#pragma once

#include <initializer_list>

#include "kernels/launch/channel_walk.h"
#include "kernels/launch/column_sums.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/launch/vector.cuh"

/// The threads of a ChannelWalk.
namespace ganscale::kernels {

inline Grid grid_of(const ChannelWalk& walk) {
  const dim3 blocks(static_cast<unsigned>(walk.blocks_x), static_cast<unsigned>(walk.parts),
                    static_cast<unsigned>(walk.channels_last ? walk.group_count : 1));
  return {blocks,
          dim3(static_cast<unsigned>(walk.threads_x), static_cast<unsigned>(walk.threads_y))};
}

/// Returns whether every vector of a walk of `width` elements of `element_bytes` lies where one
/// access reaches it, in all of these arrays.
inline bool takes_vectors(const ChannelWalk& walk, std::int64_t width, std::int64_t element_bytes,
                          std::initializer_list<const void*> arrays) {
  return (walk.group_count == 1 || walk.group_elements % width == 0) &&
         are_aligned(arrays, static_cast<std::size_t>(width * element_bytes));
}

/// The vectors of a thread, `step` elements apart. What lies at `end` or beyond is not its own.
struct Strip {
  std::int64_t first;
  std::int64_t step;
  std::int64_t end;
  std::int64_t first_value;  ///< of the image's channels
  std::int64_t channel;      ///< of a vector's first element
};

/// Returns the strip of this thread; an empty one if it has none.
template <int kWidth>
__device__ Strip strip_of(const ChannelWalk& walk) {
  if (walk.channels_last) {
    const std::int64_t column = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
    const std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
    const std::int64_t image = blockIdx.z * walk.group_elements;
    return {.first = image + row * walk.row_elements + column,
            .step = std::int64_t{gridDim.y} * blockDim.y * walk.row_elements,
            .end = column < walk.row_elements ? image + walk.group_elements : 0,
            .first_value = blockIdx.z * walk.channel_count,
            .channel = column % walk.channel_count};
  }
  const std::int64_t plane = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const std::int64_t column = (std::int64_t{blockIdx.y} * blockDim.x + threadIdx.x) * kWidth;
  return {.first = plane * walk.group_elements + column,
          .step = std::int64_t{gridDim.y} * blockDim.x * kWidth,
          .end = plane < walk.group_count ? (plane + 1) * walk.group_elements : 0,
          .first_value = 0,
          .channel = plane % walk.channel_count};
}

/// Reads what the channels of a thread's vectors have: a value for each element.
template <class T, int kWidth, class Stored>
__device__ void read_values(const Stored* values, const ChannelWalk& walk, const Strip& strip,
                            T (&of_vector)[kWidth]) {
  std::int64_t channel = strip.channel;
  for (int j = 0; j < kWidth; ++j) {
    of_vector[j] = static_cast<T>(values[strip.first_value + channel]);
    if (walk.channels_last && ++channel == walk.channel_count) channel = 0;
  }
}

/// Arrays of the walk's elements: a kernel reads all of `in` and writes out unless it is null.
template <class Stored, int kInputs>
struct WalkedArrays {
  const Stored* in[kInputs];
  Stored* out;
};

/// Computes the vector at element i.
template <int kWidth, class Stored, int kInputs, class Compute>
__device__ void compute_vector(const WalkedArrays<Stored, kInputs>& arrays, std::int64_t i,
                               Compute& compute) {
  Vector<Stored, kWidth> read[kInputs];
  for (int k = 0; k < kInputs; ++k) read[k] = read_vector<Stored, kWidth>(arrays.in[k] + i);
  Vector<Stored, kWidth> result;
  for (int j = 0; j < kWidth; ++j) {
    Stored elements[kInputs];
    for (int k = 0; k < kInputs; ++k) elements[k] = read[k].at[j];
    result.at[j] = compute(j, elements);
  }
  if (arrays.out != nullptr) write_vector(result, arrays.out + i);
}

/// Computes element i, in place j of its vector.
template <class Stored, int kInputs, class Compute>
__device__ void compute_element(const WalkedArrays<Stored, kInputs>& arrays, std::int64_t i, int j,
                                Compute& compute) {
  Stored elements[kInputs];
  for (int k = 0; k < kInputs; ++k) elements[k] = arrays.in[k][i];
  const Stored result = compute(j, elements);
  if (arrays.out != nullptr) arrays.out[i] = result;
}

/// Walks the strip. For each element, `compute(j, elements)` takes its place j in the vector and
/// what the inputs hold there, and returns what to write.
///
/// in_vectors: see takes_vectors().
template <int kWidth, class Stored, int kInputs, class Compute>
__device__ void walk_along(const Strip& strip, bool in_vectors,
                           const WalkedArrays<Stored, kInputs>& arrays, Compute compute) {
  std::int64_t i = strip.first;
  if (in_vectors) {
    for (; i + kWidth <= strip.end; i += strip.step) compute_vector<kWidth>(arrays, i, compute);
  }
  for (; i < strip.end; i += strip.step) {  // what no access reaches as a whole
    for (int j = 0; j < kWidth; ++j) {
      if (i + j < strip.end) compute_element(arrays, i + j, j, compute);
    }
  }
}

/// Writes this block's share of the sums of channels last: each thread has summed one vector's
/// elements. As store_sums().
template <class T, int kWidth>
__device__ void store_sums_of_pixels(const T (&sums)[kWidth], const ChannelWalk& walk,
                                     T* partial_sums) {
  sum_columns<ChannelWalk::kThreads>(sums, [&](unsigned i, T sum) {
    const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x * kWidth + i;
    if (column >= walk.row_elements) return;
    const std::int64_t pixels = walk.row_elements / walk.channel_count;
    const std::int64_t row = blockIdx.y * pixels + column / walk.channel_count;
    partial_sums[(row * walk.group_count + blockIdx.z) * walk.channel_count +
                 column % walk.channel_count] = sum;
  });
}

/// The same if each thread has summed elements of one plane.
template <class T>
__device__ void store_sums_of_planes(T sum, const ChannelWalk& walk, T* partial_sums) {
  constexpr unsigned kLanes = 32;
  __shared__ T of_warp[ChannelWalk::kThreads / kLanes];
  for (unsigned offset = (blockDim.x < kLanes ? blockDim.x : kLanes) / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(~0U, sum, offset);
  }
  if (blockDim.x > kLanes) {
    const unsigned warp = (threadIdx.y * blockDim.x + threadIdx.x) / kLanes;
    if (threadIdx.x % kLanes == 0) of_warp[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (unsigned other = 1; other < blockDim.x / kLanes; ++other) sum += of_warp[warp + other];
    }
  }
  const std::int64_t plane = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  if (threadIdx.x != 0 || plane >= walk.group_count) return;
  partial_sums[blockIdx.y * walk.group_count + plane] = sum;
}

/// Writes this block's share of the sums of all channels, in an order that never changes; all of
/// its threads call it. partial_sums: see ChannelWalk::partial_rows().
template <class T, int kWidth>
__device__ void store_sums(const T (&sums)[kWidth], const ChannelWalk& walk, T* partial_sums) {
  if (walk.channels_last) return store_sums_of_pixels(sums, walk, partial_sums);
  T sum = 0;
  for (int j = 0; j < kWidth; ++j) sum += sums[j];
  store_sums_of_planes(sum, walk, partial_sums);
}

}  // namespace ganscale::kernels
