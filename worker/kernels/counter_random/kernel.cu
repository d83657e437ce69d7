#include <cuda_runtime.h>

#include "kernels/counter_random/fill.h"
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
struct Normal {
  __device__ void operator()(const Words& words, T* out) const {
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
};

template <class T>
struct Uniform {
  __device__ void operator()(const Words& words, T* out) const {
    for (int i = 0; i < 4; ++i) out[i] = unit_interval<T>(words.word[i]);
  }
};

template <class T>
struct Mask {
  Dropout dropout;
  __device__ void operator()(const Words& words, T* out) const {
    for (int i = 0; i < 4; ++i) {
      out[i] = words.word[i] < dropout.threshold ? T(0) : static_cast<T>(dropout.scale);
    }
  }
};

// One thread per block of four elements, in a grid-stride loop.
template <class T, class Draw>
__global__ void fill(T* out, RandomRows rows, Draw draw) {
  const std::int64_t blocks_per_row = (rows.row_length + 3) / 4;
  const std::int64_t total = rows.row_count * blocks_per_row;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total;
       i += stride) {
    const std::int64_t row = i / blocks_per_row;
    const std::int64_t block = i % blocks_per_row;
    const auto drawn = words_of(rows, row, block);
    T values[4];
    draw(Words{{drawn[0], drawn[1], drawn[2], drawn[3]}}, values);
    const std::int64_t first = block * 4;
    T* target = out + row * rows.row_length + first;
    for (int k = 0; k < 4; ++k) {
      if (first + k < rows.row_length) target[k] = values[k];
    }
  }
}

template <class T, class Draw>
void launch(T* out, const RandomRows& rows, Draw draw, void* cuda_stream) {
  launch_kernel("random numbers", grid_of(rows.row_count * ((rows.row_length + 3) / 4)),
                cuda_stream, fill<T, Draw>, out, rows, draw);
}

}  // namespace

template <class T>
void fill_normal_kernel(T* out, const RandomRows& rows, void* cuda_stream) {
  launch(out, rows, Normal<T>{}, cuda_stream);
}

template <class T>
void fill_uniform_kernel(T* out, const RandomRows& rows, void* cuda_stream) {
  launch(out, rows, Uniform<T>{}, cuda_stream);
}

template <class T>
void fill_dropout_kernel(T* out, const RandomRows& rows, const Dropout& dropout,
                         void* cuda_stream) {
  launch(out, rows, Mask<T>{dropout}, cuda_stream);
}

template void fill_normal_kernel(float*, const RandomRows&, void*);
template void fill_normal_kernel(double*, const RandomRows&, void*);
template void fill_uniform_kernel(float*, const RandomRows&, void*);
template void fill_uniform_kernel(double*, const RandomRows&, void*);
template void fill_dropout_kernel(float*, const RandomRows&, const Dropout&, void*);
template void fill_dropout_kernel(double*, const RandomRows&, const Dropout&, void*);

}  // namespace ganscale::kernels
