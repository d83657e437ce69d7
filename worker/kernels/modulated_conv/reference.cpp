#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "kernels/launch/dispatch.h"
#include "kernels/launch/sum_of_products.h"
#include "kernels/modulated_conv/fill.h"

namespace ganscale::kernels {
namespace {

constexpr const char* kReference = "the reference of modulated_conv";

std::int64_t grain(std::int64_t row_elements) {
  constexpr std::int64_t kGrainElements = 16384;
  return std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(row_elements, 1));
}

// Calls `compute` with the number of each row, on all threads of ATen.
template <class Compute>
void for_each_row(std::int64_t row_count, std::int64_t row_elements, const Compute& compute) {
  at::parallel_for(0, row_count, grain(row_elements), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) compute(row);
  });
}

// Contiguous: a row is a channel of an image, with one scale.
template <class T>
void scale_planes(const ScaleArrays& arrays, const ImageLayout& layout) {
  const std::int64_t length = layout.pixel_count;
  for_each_row(layout.image_count * layout.channel_count, length, [&](std::int64_t row) {
    const T scale = static_cast<const T*>(arrays.scale)[row];
    const T* x = static_cast<const T*>(arrays.x) + row * length;
    T* out = static_cast<T*>(arrays.out) + row * length;
    for (std::int64_t i = 0; i < length; ++i) out[i] = x[i] * scale;
  });
}

// Channels last: a row is a pixel of an image, with a scale per channel.
template <class T>
void scale_pixels(const ScaleArrays& arrays, const ImageLayout& layout) {
  const std::int64_t length = layout.channel_count;
  for_each_row(layout.image_count * layout.pixel_count, length, [&](std::int64_t row) {
    const std::int64_t image = row / layout.pixel_count;
    const T* scale = static_cast<const T*>(arrays.scale) + image * length;
    const T* x = static_cast<const T*>(arrays.x) + row * length;
    T* out = static_cast<T*>(arrays.out) + row * length;
    for (std::int64_t i = 0; i < length; ++i) out[i] = x[i] * scale[i];
  });
}

template <class T>
void dot_planes(const DotArrays& arrays, const ImageLayout& layout) {
  const std::int64_t length = layout.pixel_count;
  for_each_row(layout.image_count * layout.channel_count, length, [&](std::int64_t row) {
    static_cast<T*>(arrays.out)[row] =
        sum_of_products(static_cast<const T*>(arrays.a) + row * length,
                        static_cast<const T*>(arrays.b) + row * length, length);
  });
}

template <class T>
void dot_pixels(const DotArrays& arrays, const ImageLayout& layout) {
  const std::int64_t length = layout.channel_count;
  at::parallel_for(0, layout.image_count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t image = begin; image < end; ++image) {
      T* out = static_cast<T*>(arrays.out) + image * length;
      std::fill_n(out, length, T(0));
      for (std::int64_t pixel = 0; pixel < layout.pixel_count; ++pixel) {
        const std::int64_t first = (image * layout.pixel_count + pixel) * length;
        const T* a = static_cast<const T*>(arrays.a) + first;
        const T* b = static_cast<const T*>(arrays.b) + first;
        for (std::int64_t i = 0; i < length; ++i) out[i] += a[i] * b[i];
      }
    }
  });
}

}  // namespace

void scale_channels_reference(const ScaleArrays& arrays, const ImageLayout& layout) {
  dispatch_full_precision(layout.type, kReference, [&]<class T>() {
    layout.channels_last ? scale_pixels<T>(arrays, layout) : scale_planes<T>(arrays, layout);
  });
}

void dot_channels_reference(const DotArrays& arrays, const ImageLayout& layout) {
  dispatch_full_precision(layout.type, kReference, [&]<class T>() {
    layout.channels_last ? dot_pixels<T>(arrays, layout) : dot_planes<T>(arrays, layout);
  });
}

}  // namespace ganscale::kernels
