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
  if (out_x >= work.out.width) return;
  const int step_y = gridDim.y * blockDim.y;
  const std::int64_t planes = work.image_count * work.channels;
  for (std::int64_t plane = blockIdx.z; plane < planes; plane += gridDim.z) {
    const std::int64_t n = plane / work.channels;
    const std::int64_t c = plane % work.channels;
    const T* from = x + n * work.x_strides.image + c * work.x_strides.channel;
    const std::int64_t to =
        n * work.out_strides.image + c * work.out_strides.channel + out_x * work.out_strides.column;
    for (int out_y = blockIdx.y * blockDim.y + threadIdx.y; out_y < work.out.height;
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
  const std::int64_t rows = work.image_count * work.out.height;
  for (std::int64_t row = blockIdx.z; row < rows; row += gridDim.z) {
    const std::int64_t n = row / work.out.height;
    const int out_y = static_cast<int>(row % work.out.height);
    const T* from = x + n * work.x_strides.image + c * work.x_strides.channel;
    const std::int64_t to =
        n * work.out_strides.image + c * work.out_strides.channel + out_y * work.out_strides.row;
    for (int out_x = blockIdx.y * blockDim.y + threadIdx.y; out_x < work.out.width;
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
  const auto launch_over = [&](auto kernel, int columns, int rows, std::int64_t layers) {
    const dim3 blocks(block_count(columns, threads.x, kMostGridColumns),
                      block_count(rows, threads.y, kMostGridRows),
                      block_count(layers, 1, kMostGridRows));
    launch_kernel("upfirdn2d", {blocks, threads}, stream, kernel, x, filter, out, work);
  };
  const bool is_channels_last = work.channels > 1 && work.x_strides.channel == 1;
  if (is_channels_last) {
    launch_over(by_channel<kUp, T, Sum>, work.channels, work.out.width,
                work.image_count * work.out.height);
  } else {
    launch_over(by_plane<kUp, T, Sum>, work.out.width, work.out.height,
                work.image_count * work.channels);
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
  const auto narrow_sides = [&](const Sides<std::int64_t>& sides) {
    return Sides<int>{narrow(sides.height), narrow(sides.width)};
  };
  const Upfirdn& options = shape.options;
  narrow(shape.out.height * options.down_y + shape.filter.height);
  narrow(shape.out.width * options.down_x + shape.filter.width);
  return {.addend = memory.addend,
          .x_strides = memory.x_strides,
          .out_strides = memory.out_strides,
          .image_count = shape.plane_count / memory.channel_count,
          .channels = narrow(memory.channel_count),
          .in = narrow_sides(shape.in),
          .out = narrow_sides(shape.out),
          .filter = narrow_sides(shape.filter),
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
  check(shape.filter.height * shape.filter.width <= kMostTaps,
        "upfirdn2d: a filter has at most 1024 taps on a CUDA device");
  const Work work = work_of(memory, shape);
  dispatch_all_types(memory.type, [&]<class Stored, class T>() {
    launch_for_size<Stored, T>(memory, work, stream);
  });
}

}  // namespace ganscale::kernels
