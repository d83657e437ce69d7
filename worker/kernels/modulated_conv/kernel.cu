#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/launch/launch.cuh"
#include "kernels/modulated_conv/fill.h"

namespace ganscale::kernels {
namespace {

// Stored is the type in memory, T the type of the computation.
template <class Stored, class T>
__global__ void scale(ScaleArrays arrays, ImageLayout layout, std::int64_t element_count) {
  const auto* x = static_cast<const Stored*>(arrays.x);
  const auto* scales = static_cast<const Stored*>(arrays.scale);
  auto* out = static_cast<Stored*>(arrays.out);
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t image_elements = layout.channel_count * layout.pixel_count;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < element_count;
       i += stride) {
    const std::int64_t row =
        layout.channels_last ? i / image_elements * layout.channel_count + i % layout.channel_count
                             : i / layout.pixel_count;
    out[i] = static_cast<Stored>(static_cast<T>(x[i]) * static_cast<T>(scales[row]));
  }
}

template <class T>
__device__ T sum_of_warp(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0U, value, offset);
  return value;
}

// Contiguous: one block per channel of an image.
template <class Stored, class T>
__global__ void dot_planes(DotArrays arrays, ImageLayout layout) {
  const std::int64_t first = std::int64_t{blockIdx.x} * layout.pixel_count;
  const auto* a = static_cast<const Stored*>(arrays.a) + first;
  const auto* b = static_cast<const Stored*>(arrays.b) + first;
  T sum = 0;
  for (std::int64_t i = threadIdx.x; i < layout.pixel_count; i += blockDim.x) {
    sum += static_cast<T>(a[i]) * static_cast<T>(b[i]);
  }
  __shared__ T of_warp[32];
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : T(0);
  sum = sum_of_warp(sum);
  if (threadIdx.x == 0) static_cast<T*>(arrays.out)[blockIdx.x] = sum;
}

// Channels last: one block per 32 channels of a part of an image; its warps take turns at the
// pixels.
template <class Stored, class T>
__global__ void dot_pixels(DotArrays arrays, ImageLayout layout) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  const std::int64_t channel = std::int64_t{blockIdx.x} * 32 + lane;
  const std::int64_t image = blockIdx.y;
  const std::int64_t begin = blockIdx.z * layout.pixel_count / gridDim.z;
  const std::int64_t end = (std::int64_t{blockIdx.z} + 1) * layout.pixel_count / gridDim.z;
  const bool is_channel = channel < layout.channel_count;
  T sum = 0;
  for (std::int64_t pixel = begin + warp; is_channel && pixel < end; pixel += warps) {
    const std::int64_t i = (image * layout.pixel_count + pixel) * layout.channel_count + channel;
    sum += static_cast<T>(static_cast<const Stored*>(arrays.a)[i]) *
           static_cast<T>(static_cast<const Stored*>(arrays.b)[i]);
  }
  __shared__ T of_warp[32][33];
  of_warp[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || !is_channel) return;
  for (int other = 1; other < warps; ++other) sum += of_warp[other][lane];
  const std::int64_t row = blockIdx.z * layout.image_count + image;
  static_cast<T*>(arrays.out)[row * layout.channel_count + channel] = sum;
}

template <class Stored, class T>
void launch_scale(const ScaleArrays& arrays, const ImageLayout& layout, void* stream) {
  const std::int64_t element_count = layout.image_count * layout.channel_count * layout.pixel_count;
  launch_kernel("scale_channels", grid_of(element_count), stream, scale<Stored, T>, arrays, layout,
                element_count);
}

template <class Stored, class T>
void launch_dot(const DotArrays& arrays, const ImageLayout& layout, void* stream) {
  constexpr unsigned kThreads = 256;
  const auto images = static_cast<unsigned>(layout.image_count);
  const auto channels = static_cast<unsigned>(layout.channel_count);
  if (layout.channels_last) {
    const dim3 blocks((channels + 31) / 32, images, static_cast<unsigned>(dot_parts(layout)));
    launch_kernel("dot_channels", {blocks, kThreads}, stream, dot_pixels<Stored, T>, arrays,
                  layout);
  } else {
    launch_kernel("dot_channels", {images * channels, kThreads}, stream, dot_planes<Stored, T>,
                  arrays, layout);
  }
}

}  // namespace

void scale_channels_kernel(const ScaleArrays& arrays, const ImageLayout& layout, void* stream) {
  switch (layout.type) {
    case ScalarType::kFloat32: return launch_scale<float, float>(arrays, layout, stream);
    case ScalarType::kFloat64: return launch_scale<double, double>(arrays, layout, stream);
    case ScalarType::kFloat16: return launch_scale<__half, float>(arrays, layout, stream);
    case ScalarType::kBFloat16: return launch_scale<__nv_bfloat16, float>(arrays, layout, stream);
  }
}

void dot_channels_kernel(const DotArrays& arrays, const ImageLayout& layout, void* stream) {
  switch (layout.type) {
    case ScalarType::kFloat32: return launch_dot<float, float>(arrays, layout, stream);
    case ScalarType::kFloat64: return launch_dot<double, double>(arrays, layout, stream);
    case ScalarType::kFloat16: return launch_dot<__half, float>(arrays, layout, stream);
    case ScalarType::kBFloat16: return launch_dot<__nv_bfloat16, float>(arrays, layout, stream);
  }
}

}  // namespace ganscale::kernels
