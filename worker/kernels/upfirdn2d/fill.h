#pragma once

#include <cstdint>

#include "kernels/launch/scalar_type.h"

/// The contract of upfirdn2d without tensors, shared by all devices.
namespace ganscale::kernels {

/// Of a filter on a CUDA device, whose shared memory it must fit in.
inline constexpr int kMostTaps = 1024;

/// How an image is resampled: zeros are inserted, it is padded, filtered, and thinned out.
struct Upfirdn {
  std::int64_t up_x = 1;  ///< one sample becomes itself and up_x - 1 zeros
  std::int64_t up_y = 1;
  std::int64_t down_x = 1;  ///< of down_x filtered samples the first is kept
  std::int64_t down_y = 1;
  std::int64_t pad_left = 0;  ///< zeros around the image after inserting; negative crops
  std::int64_t pad_right = 0;
  std::int64_t pad_top = 0;
  std::int64_t pad_bottom = 0;
  double gain = 1;           ///< multiplies the result
  bool flip_filter = false;  ///< false: convolution; true: correlation
};

/// The sides of an image or a filter, in pixels.
template <class Integer>
struct Sides {
  Integer height = 0;
  Integer width = 0;
};

/// A pixel is one value and there are N * C planes, or in channels last C values and N planes.
struct UpfirdnShape {
  Upfirdn options;
  std::int64_t plane_count = 0;
  std::int64_t pixel_values = 1;
  Sides<std::int64_t> in = {};
  Sides<std::int64_t> filter = {};
  Sides<std::int64_t> out = {};
};

/// Sets how many pixels the padded image has room for: 0 along an axis if the filter is
/// longer.
constexpr void set_out_size(UpfirdnShape& shape) {
  const auto count = [](std::int64_t room, std::int64_t down) {
    return room < 0 ? 0 : room / down + 1;
  };
  const Upfirdn& options = shape.options;
  shape.out.height = count(
      shape.in.height * options.up_y + options.pad_top + options.pad_bottom - shape.filter.height,
      options.down_y);
  shape.out.width = count(
      shape.in.width * options.up_x + options.pad_left + options.pad_right - shape.filter.width,
      options.down_x);
}

/// Computes planes one after the other in host memory, on all threads of ATen. T is float or
/// double.
///
/// filter: of shape.filter, row by row.
/// addend: of the result's layout, added to it; null: none.
template <class T>
void upfirdn2d_reference(const T* x, const T* filter, T* out, const UpfirdnShape& shape,
                         const T* addend = nullptr);

/// Strides of a [N, C, H, W] tensor, in elements.
struct PixelStrides {
  std::int64_t image = 0;
  std::int64_t channel = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// Device memory that a kernel reads and writes. The filter and the sums are float64 if the
/// pixels are, else float32.
struct UpfirdnMemory {
  const void* x = nullptr;
  const void* filter = nullptr;
  void* out = nullptr;
  const void* addend = nullptr;  ///< laid out as `out`, added to it; null: none
  PixelStrides x_strides;
  PixelStrides out_strides;
  std::int64_t channel_count = 0;
  ScalarType type = ScalarType::kFloat32;
};

/// Computes in `cuda_stream` (a cudaStream_t) of the current device, pixels of one value, whose
/// places the strides say. Throws DeviceError if the launch fails, and in a build without CUDA.
void upfirdn2d_kernel(const UpfirdnMemory& memory, const UpfirdnShape& shape, void* cuda_stream);

}  // namespace ganscale::kernels
