#include <cuda_runtime.h>

#include "base/error.h"
#include "kernels/launch/dispatch.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/upfirdn2d/fill.h"
#include "kernels/upfirdn2d/launch_strips.cuh"
#include "kernels/upfirdn2d/work.cuh"

namespace ganscale::kernels {
namespace {

/// Contiguous planes: adjacent threads have adjacent columns.
template <int kUp, class T, class Sum>
__global__ void by_plane(const T* x, const Sum* filter, T* out, Work work) {
  const Sum* taps = load_filter(filter, work);
  const int out_x = blockIdx.x * blockDim.x + threadIdx.x;
  if (out_x >= work.out_width) return;
  const int step_y = gridDim.y * blockDim.y;
  const std::int64_t planes = work.image_count * work.channels;
  for (std::int64_t plane = blockIdx.z; plane < planes; plane += gridDim.z) {
    const std::int64_t n = plane / work.channels;
    const std::int64_t c = plane % work.channels;
    const T* from = x + n * work.x_strides.image + c * work.x_strides.channel;
    const std::int64_t to =
        n * work.out_strides.image + c * work.out_strides.channel + out_x * work.out_strides.column;
    for (int out_y = blockIdx.y * blockDim.y + threadIdx.y; out_y < work.out_height;
         out_y += step_y) {
      const std::int64_t place = to + out_y * work.out_strides.row;
      out[place] = static_cast<T>(value_at<kUp>(from, taps, work, out_y, out_x) +
                                  added_at<Sum, T>(work, place));
    }
  }
}

/// Channels last: adjacent threads have adjacent channels.
template <int kUp, class T, class Sum>
__global__ void by_channel(const T* x, const Sum* filter, T* out, Work work) {
  const Sum* taps = load_filter(filter, work);
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= work.channels) return;
  const std::int64_t rows = work.image_count * work.out_height;
  for (std::int64_t row = blockIdx.z; row < rows; row += gridDim.z) {
    const std::int64_t n = row / work.out_height;
    const int out_y = static_cast<int>(row % work.out_height);
    const T* from = x + n * work.x_strides.image + c * work.x_strides.channel;
    const std::int64_t to =
        n * work.out_strides.image + c * work.out_strides.channel + out_y * work.out_strides.row;
    for (int out_x = blockIdx.y * blockDim.y + threadIdx.y; out_x < work.out_width;
         out_x += gridDim.y * blockDim.y) {
      const std::int64_t place = to + out_x * work.out_strides.column;
      out[place] = static_cast<T>(value_at<kUp>(from, taps, work, out_y, out_x) +
                                  added_at<Sum, T>(work, place));
    }
  }
}

template <int kUp, class T, class Sum>
void launch(const UpfirdnMemory& memory, const Work& work, void* stream) {
  const auto* x = static_cast<const T*>(memory.x);
  const auto* filter = static_cast<const Sum*>(memory.filter);
  auto* out = static_cast<T*>(memory.out);
  const dim3 threads(32, 8);
  const bool is_channels_last = work.channels > 1 && work.x_strides.channel == 1;
  if (is_channels_last) {
    const dim3 blocks(block_count(work.channels, threads.x, kMostGridColumns),
                      block_count(work.out_width, threads.y, kMostGridRows),
                      block_count(work.image_count * work.out_height, 1, kMostGridRows));
    launch_kernel("upfirdn2d", {blocks, threads}, stream, by_channel<kUp, T, Sum>, x, filter, out,
                  work);
  } else {
    const dim3 blocks(block_count(work.out_width, threads.x, kMostGridColumns),
                      block_count(work.out_height, threads.y, kMostGridRows),
                      block_count(work.image_count * work.channels, 1, kMostGridRows));
    launch_kernel("upfirdn2d", {blocks, threads}, stream, by_plane<kUp, T, Sum>, x, filter, out,
                  work);
  }
}

template <class T, class Sum>
void launch_any(const UpfirdnMemory& memory, const Work& work, void* stream) {
  if (work.up_x == 1 && work.up_y == 1) return launch<1, T, Sum>(memory, work, stream);
  if (work.up_x == 2 && work.up_y == 2) return launch<2, T, Sum>(memory, work, stream);
  launch<0, T, Sum>(memory, work, stream);
}

template <class T, class Sum>
void launch_for_size(const UpfirdnMemory& memory, const Work& work, void* stream) {
  if (launch_strips<T, Sum>(memory, work, stream)) return;
  launch_any<T, Sum>(memory, work, stream);
}

Work work_of(const UpfirdnMemory& memory, const UpfirdnShape& shape) {
  const auto narrow = [](std::int64_t value) {
    check(value >= -(std::int64_t{1} << 30) && value <= (std::int64_t{1} << 30),
          "upfirdn2d: a side of an image is too long");
    return static_cast<int>(value);
  };
  const Upfirdn& options = shape.options;
  narrow(shape.out_height * options.down_y + shape.filter_height);
  narrow(shape.out_width * options.down_x + shape.filter_width);
  return {.addend = memory.addend,
          .x_strides = memory.x_strides,
          .out_strides = memory.out_strides,
          .image_count = shape.plane_count / memory.channel_count,
          .channels = narrow(memory.channel_count),
          .height = narrow(shape.height),
          .width = narrow(shape.width),
          .out_height = narrow(shape.out_height),
          .out_width = narrow(shape.out_width),
          .filter_height = narrow(shape.filter_height),
          .filter_width = narrow(shape.filter_width),
          .up_x = narrow(options.up_x),
          .up_y = narrow(options.up_y),
          .down_x = narrow(options.down_x),
          .down_y = narrow(options.down_y),
          .pad_left = narrow(options.pad_left),
          .pad_top = narrow(options.pad_top),
          .gain = options.gain,
          .flip_filter = options.flip_filter};
}

}  // namespace

void upfirdn2d_kernel(const UpfirdnMemory& memory, const UpfirdnShape& shape, void* stream) {
  check(shape.filter_height * shape.filter_width <= kMostTaps,
        "upfirdn2d: a filter has at most 1024 taps on a CUDA device");
  const Work work = work_of(memory, shape);
  dispatch_all_types(memory.type, [&]<class Stored, class T>() {
    launch_for_size<Stored, T>(memory, work, stream);
  });
}

}  // namespace ganscale::kernels
