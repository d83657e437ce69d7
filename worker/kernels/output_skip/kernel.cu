#include <cuda_runtime.h>

#include <variant>

#include "base/error.h"
#include "kernels/launch/dispatch.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/output_skip/fill.h"

namespace ganscale::kernels {
namespace {

constexpr unsigned kThreads = 256;

// What a thread does for each of its pixels, one after another. Calls `compute` with the places of
// a channel in images and in rgb, and the channel.
template <class Compute>
__device__ void for_each_channel(const RgbLayout& layout, Compute compute) {
  const std::int64_t channels = layout.channel_count;
  const std::int64_t pixels = layout.pixel_count;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
       i < layout.image_count * pixels; i += std::int64_t{gridDim.x} * kThreads) {
    const std::int64_t image = i / pixels;
    const std::int64_t pixel = i % pixels;
    const std::int64_t of_image = image * channels * pixels;
    for (int c = 0; c < channels; ++c) {
      compute(of_image + c * pixels + pixel,
              of_image + c * layout.channel_stride + pixel * layout.pixel_stride, c);
    }
  }
}

template <class T>
__device__ T number_at(const void* array, std::int64_t place) {
  return array == nullptr ? T(0) : static_cast<const T*>(array)[place];
}

// Stored is the type in memory of rgb, T the type of the computation and of images.
template <class Stored, class T>
struct Sum {
  __device__ T operator()(std::int64_t in_rgb, int c) const {
    return static_cast<T>(static_cast<const Stored*>(rgb)[in_rgb]) + number_at<T>(bias, c);
  }
  __device__ bool is_clamped(T u) const { return clamp >= 0 && abs(u) >= clamp; }

  const void* rgb;
  const void* bias;
  T clamp;
};

template <class Stored, class T>
__global__ void fill(OutputSkipArrays arrays, OutputSkipTask task) {
  const Sum<Stored, T> sum{arrays.rgb, arrays.bias, static_cast<T>(task.clamp)};
  for_each_channel(task.layout, [&](std::int64_t place, std::int64_t in_rgb, int c) {
    const T u = sum(in_rgb, c);
    const T value = sum.is_clamped(u) ? copysign(sum.clamp, u) : u;
    static_cast<T*>(arrays.out)[place] = value + number_at<T>(arrays.image, place);
  });
}

template <class Stored, class T>
__global__ void fill(OutputSkipGradientArrays arrays, OutputSkipTask task) {
  const Sum<Stored, T> sum{arrays.rgb, arrays.bias, static_cast<T>(task.clamp)};
  T sums[kMostRgbChannels] = {};
  for_each_channel(task.layout, [&](std::int64_t place, std::int64_t in_rgb, int c) {
    const T gradient = static_cast<const T*>(arrays.gradient)[place];
    const T d_rgb = sum.is_clamped(sum(in_rgb, c)) ? T(0) : gradient;
    static_cast<Stored*>(arrays.d_rgb)[in_rgb] = static_cast<Stored>(d_rgb);
    for (int k = 0; k < kMostRgbChannels; ++k) sums[k] += k == c ? d_rgb : T(0);
  });
  __shared__ T of_thread[kThreads];
  for (int c = 0; c < kMostRgbChannels; ++c) {
    if (c >= task.layout.channel_count) break;
    of_thread[threadIdx.x] = sums[c];
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
    }
    if (threadIdx.x == 0) {
      static_cast<T*>(arrays.partial_sums)[blockIdx.x * task.layout.channel_count + c] =
          of_thread[0];
    }
    __syncthreads();
  }
}

template <class Stored, class T>
__global__ void fill(OutputSkipSecondGradientArrays arrays, OutputSkipTask task) {
  const Sum<Stored, T> sum{arrays.rgb, arrays.bias, static_cast<T>(task.clamp)};
  for_each_channel(task.layout, [&](std::int64_t place, std::int64_t in_rgb, int c) {
    T tangent = number_at<T>(arrays.bias_tangent, c);
    if (arrays.rgb_tangent != nullptr) {
      tangent += static_cast<T>(static_cast<const Stored*>(arrays.rgb_tangent)[in_rgb]);
    }
    static_cast<T*>(arrays.out)[place] = sum.is_clamped(sum(in_rgb, c)) ? T(0) : tangent;
  });
}

template <class Stored, class T, class Arrays>
void launch(const Arrays& arrays, const OutputSkipTask& task, void* stream) {
  void (*const kernel)(Arrays, OutputSkipTask) = fill<Stored, T>;
  const Grid grid = {static_cast<unsigned>(output_skip_blocks(task.layout)), kThreads};
  launch_kernel("output_skip", grid, stream, kernel, arrays, task);
}

template <class Arrays>
void launch_in_type(const Arrays& arrays, const OutputSkipTask& task, void* stream) {
  check(task.layout.channel_count <= kMostRgbChannels, "output_skip takes 4 channels at most");
  dispatch_all_types(task.type,
                     [&]<class Stored, class T>() { launch<Stored, T>(arrays, task, stream); });
}

}  // namespace

void output_skip_kernel(const AnyOutputSkipArrays& arrays, const OutputSkipTask& task,
                        void* stream) {
  std::visit([&](const auto& of_pass) { launch_in_type(of_pass, task, stream); }, arrays);
}

}  // namespace ganscale::kernels
