#include <ATen/Parallel.h>

#include <algorithm>
#include <variant>

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

/// Returns how many elements an image has.
Places sizes_of_image(const ColorLayout& layout) {
  return {.features = layout.pixel_count * layout.feature_count,
          .colors = layout.pixel_count * layout.color_count,
          .weights = layout.color_count * layout.feature_count};
}

/// One of the arrays: `kPlace` is the member of Places that counts its elements.
template <std::int64_t Places::* kPlace, class T>
struct ArrayOf {
  T* first;

  T& operator[](const Places& at) const { return first[at.*kPlace]; }
  ArrayOf from(const Places& places) const { return {first + places.*kPlace}; }
  void set_to_zero(const Places& sizes) const { std::fill_n(first, sizes.*kPlace, T(0)); }
};
template <class T>
using FeaturesOf = ArrayOf<&Places::features, T>;
template <class T>
using ColorsOf = ArrayOf<&Places::colors, T>;
template <class T>
using WeightsOf = ArrayOf<&Places::weights, T>;

// Calls `compute` with where each image begins, on all threads of ATen.
template <class Compute>
void for_each_image(const ColorLayout& layout, const Strides& strides, const Compute& compute) {
  const Places sizes = sizes_of_image(layout);
  at::parallel_for(0, layout.image_count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t image = begin; image < end; ++image) {
      compute(Places{.features = image * sizes.features,
                     .colors = image * sizes.colors,
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

/// Writes one array as the sums of products of the other two.
template <class Sums, class One, class Other>
void sum_products(const ColorLayout& layout, const Strides& strides, const Sums& all_sums,
                  const One& all_ones, const Other& all_others) {
  for_each_image(layout, strides, [&](const Places& first) {
    const Sums sums = all_sums.from(first);
    const One ones = all_ones.from(first);
    const Other others = all_others.from(first);
    sums.set_to_zero(sizes_of_image(layout));
    for_each_product(layout, strides, [&](const Places& at) { sums[at] += ones[at] * others[at]; });
  });
}

template <class T>
void fill(const ColorsArrays& arrays, const ColorLayout& layout) {
  sum_products(layout, strides_of(arrays.weights), ColorsOf<T>{static_cast<T*>(arrays.colors)},
               FeaturesOf<const T>{static_cast<const T*>(arrays.features)},
               WeightsOf<const T>{static_cast<const T*>(arrays.weights.first)});
}

template <class T>
void fill(const FeaturesArrays& arrays, const ColorLayout& layout) {
  sum_products(layout, strides_of(arrays.weights), FeaturesOf<T>{static_cast<T*>(arrays.features)},
               ColorsOf<const T>{static_cast<const T*>(arrays.colors)},
               WeightsOf<const T>{static_cast<const T*>(arrays.weights.first)});
}

template <class T>
void fill(const ColorWeightsArrays& arrays, const ColorLayout& layout) {
  sum_products(layout, dense_strides(layout), WeightsOf<T>{static_cast<T*>(arrays.sums)},
               FeaturesOf<const T>{static_cast<const T*>(arrays.features)},
               ColorsOf<const T>{static_cast<const T*>(arrays.colors)});
}

}  // namespace

void color_products_reference(const ColorProductsArrays& arrays, const ColorLayout& layout) {
  dispatch_full_precision(layout.type, "the reference of color_products", [&]<class T>() {
    std::visit([&](const auto& of_product) { fill<T>(of_product, layout); }, arrays);
  });
}

}  // namespace ganscale::kernels
