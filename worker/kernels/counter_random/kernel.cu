#include <cuda_runtime.h>

#include <variant>

#include "kernels/counter_random/fill.h"
#include "kernels/launch/dispatch.h"
#include "kernels/launch/launch.cuh"

namespace ganscale::kernels {
namespace {

struct Words {
  std::uint32_t word[4];
};

__device__ void sine_and_cosine_of_turns(float turns, float* sine, float* cosine) {
  sincospif(2 * turns, sine, cosine);
}

__device__ void sine_and_cosine_of_turns(double turns, double* sine, double* cosine) {
  sincospi(2 * turns, sine, cosine);
}

// As in reference.cpp.
template <class T>
__device__ void draw(Normal, const Words& words, T* out) {
  for (int i = 0; i < 4; i += 2) {
    const T radius =
        sqrt(T(-2) * log((static_cast<T>(words.word[i]) + T(0.5)) * T(1.0 / 4294967296.0)));
    T sine = 0;
    T cosine = 0;
    sine_and_cosine_of_turns(unit_interval<T>(words.word[i + 1]), &sine, &cosine);
    out[i] = radius * cosine;
    out[i + 1] = radius * sine;
  }
}

template <class T>
__device__ void draw(Uniform, const Words& words, T* out) {
  for (int i = 0; i < 4; ++i) out[i] = unit_interval<T>(words.word[i]);
}

template <class T>
__device__ void draw(const Dropout& dropout, const Words& words, T* out) {
  for (int i = 0; i < 4; ++i) {
    out[i] = words.word[i] < dropout.threshold ? T(0) : static_cast<T>(dropout.scale);
  }
}

// One thread per block of four elements, in a grid-stride loop.
template <class T, class Numbers>
__global__ void fill(T* out, RandomRows rows, Numbers numbers) {
  const std::int64_t blocks_per_row = (rows.row_length + 3) / 4;
  const std::int64_t total = rows.row_count * blocks_per_row;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total;
       i += stride) {
    const std::int64_t row = i / blocks_per_row;
    const std::int64_t block = i % blocks_per_row;
    const auto drawn = words_of(rows, row, block);
    T values[4];
    draw(numbers, Words{{drawn[0], drawn[1], drawn[2], drawn[3]}}, values);
    const std::int64_t first = block * 4;
    T* target = out + row * rows.row_length + first;
    for (int k = 0; k < 4; ++k) {
      if (first + k < rows.row_length) target[k] = values[k];
    }
  }
}

template <class T, class Numbers>
void launch(T* out, const RandomRows& rows, const Numbers& numbers, void* stream) {
  launch_kernel("random numbers", grid_of(rows.row_count * ((rows.row_length + 3) / 4)), stream,
                fill<T, Numbers>, out, rows, numbers);
}

}  // namespace

void random_numbers_kernel(void* out, const RandomRows& rows, const Distribution& distribution,
                           void* stream) {
  dispatch_full_precision(rows.type, "counter_random", [&]<class T>() {
    std::visit([&](const auto& numbers) { launch(static_cast<T*>(out), rows, numbers, stream); },
               distribution);
  });
}

}  // namespace ganscale::kernels
