#include <ATen/Parallel.h>

#include <algorithm>

#include "kernels/color_products/fill.h"
#include "kernels/launch/dispatch.h"

namespace ganscale::kernels {
namespace {

/// Of weights, in elements.
struct Strides {
  std::int64_t image;
  std::int64_t color;
};

Strides strides_of(const ColorWeights& weights) {
  return {weights.image_stride, weights.color_stride};
}

Strides dense_strides(const ColorLayout& layout) {
  return {layout.color_count * layout.feature_count, layout.feature_count};
}

/// Elements of the three arrays.
struct Places {
  std::int64_t features;
  std::int64_t colors;
  std::int64_t weights;
};

// Calls `compute` with where each image begins, on all threads of ATen.
template <class Compute>
void for_each_image(const ColorLayout& layout, const Strides& strides, const Compute& compute) {
  at::parallel_for(0, layout.image_count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t image = begin; image < end; ++image) {
      compute(Places{.features = image * layout.pixel_count * layout.feature_count,
                     .colors = image * layout.pixel_count * layout.color_count,
                     .weights = image * strides.image});
    }
  });
}

// Calls `compute` with the places of each product in an image: of a feature, a color and a weight.
template <class Compute>
void for_each_product(const ColorLayout& layout, const Strides& strides, const Compute& compute) {
  for (std::int64_t pixel = 0; pixel < layout.pixel_count; ++pixel) {
    for (std::int64_t color = 0; color < layout.color_count; ++color) {
      for (std::int64_t feature = 0; feature < layout.feature_count; ++feature) {
        compute(Places{.features = pixel * layout.feature_count + feature,
                       .colors = pixel * layout.color_count + color,
                       .weights = color * strides.color + feature});
      }
    }
  }
}

template <class T>
void fill(const ColorsArrays& arrays, const ColorLayout& layout) {
  const Strides strides = strides_of(arrays.weights);
  for_each_image(layout, strides, [&](const Places& first) {
    const T* features = static_cast<const T*>(arrays.features) + first.features;
    const T* weights = static_cast<const T*>(arrays.weights.first) + first.weights;
    T* colors = static_cast<T*>(arrays.colors) + first.colors;
    std::fill_n(colors, layout.pixel_count * layout.color_count, T(0));
    for_each_product(layout, strides, [&](const Places& at) {
      colors[at.colors] += features[at.features] * weights[at.weights];
    });
  });
}

template <class T>
void fill(const FeaturesArrays& arrays, const ColorLayout& layout) {
  const Strides strides = strides_of(arrays.weights);
  for_each_image(layout, strides, [&](const Places& first) {
    const T* colors = static_cast<const T*>(arrays.colors) + first.colors;
    const T* weights = static_cast<const T*>(arrays.weights.first) + first.weights;
    T* features = static_cast<T*>(arrays.features) + first.features;
    std::fill_n(features, layout.pixel_count * layout.feature_count, T(0));
    for_each_product(layout, strides, [&](const Places& at) {
      features[at.features] += colors[at.colors] * weights[at.weights];
    });
  });
}

template <class T>
void fill(const ColorWeightsArrays& arrays, const ColorLayout& layout) {
  const Strides strides = dense_strides(layout);
  for_each_image(layout, strides, [&](const Places& first) {
    const T* features = static_cast<const T*>(arrays.features) + first.features;
    const T* colors = static_cast<const T*>(arrays.colors) + first.colors;
    T* sums = static_cast<T*>(arrays.sums) + first.weights;
    std::fill_n(sums, layout.color_count * layout.feature_count, T(0));
    for_each_product(layout, strides, [&](const Places& at) {
      sums[at.weights] += features[at.features] * colors[at.colors];
    });
  });
}

template <class Arrays>
void fill_in_type(const Arrays& arrays, const ColorLayout& layout) {
  dispatch_full_precision(layout.type, "the reference of color_products",
                          [&]<class T>() { fill<T>(arrays, layout); });
}

}  // namespace

void color_products_reference(const ColorsArrays& arrays, const ColorLayout& layout) {
  fill_in_type(arrays, layout);
}

void color_products_reference(const FeaturesArrays& arrays, const ColorLayout& layout) {
  fill_in_type(arrays, layout);
}

void color_products_reference(const ColorWeightsArrays& arrays, const ColorLayout& layout) {
  fill_in_type(arrays, layout);
}

}  // namespace ganscale::kernels
