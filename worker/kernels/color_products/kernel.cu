#include <cuda_runtime.h>

#include <type_traits>
#include <variant>

#include "base/error.h"
#include "kernels/color_products/fill.h"
#include "kernels/launch/column_sums.cuh"
#include "kernels/launch/dispatch.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/launch/vector.cuh"

namespace ganscale::kernels {
namespace {

constexpr int kPixels = ColorWalk::kPixels;

/// A vector has kWidth features; a pixel has room for kColors.
template <class Stored, class T, int kWidth, int kColors_>
struct ColorForm : VectorForm<Stored, T, kWidth> {
  static constexpr int kColors = kColors_;
  using Features = Vector<Stored, kWidth>;
  /// A part of the colors of kPixels pixels, of which kColors lie one after another.
  using Colors = Vector<Stored, kPixels>;
};

struct ColorTask {
  ColorLayout layout;
  // Whether kPixels pixels have as many colors as there is room for, at aligned places.
  bool in_color_vectors;
};

/// Returns where the block's image begins, of which each has so many elements.
template <class Form, class Array>
__device__ auto* of_image(Array* array, std::int64_t elements) {
  using Stored = typename Form::Stored;
  using Element = std::conditional_t<std::is_const_v<Array>, const Stored, Stored>;
  return static_cast<Element*>(array) + blockIdx.x * elements;
}

template <class Form, class Array>
__device__ auto* features_of_image(Array* features, const ColorLayout& layout) {
  return of_image<Form>(features, layout.pixel_count * layout.feature_count);
}

template <class Form, class Array>
__device__ auto* colors_of_image(Array* colors, const ColorLayout& layout) {
  return of_image<Form>(colors, layout.pixel_count * layout.color_count);
}

template <class Form>
__device__ auto* weights_of_image(const ColorWeights& weights) {
  return of_image<Form>(weights.first, weights.image_stride);
}

template <class Form>
__device__ typename Form::Features read_features(const typename Form::Stored* first) {
  return read_vector<typename Form::Stored, Form::kWidth>(first);
}

__device__ std::int64_t at_most(std::int64_t number, std::int64_t most) {
  return number < most ? number : most;
}

/// The features of kPixels pixels. Beyond the last there is the last again, so that no read waits
/// for a branch.
struct PixelRows {
  std::int64_t first;    // element
  int offsets[kPixels];  // of the pixels, from there

  __device__ PixelRows(std::int64_t pixel, const ColorLayout& layout) {
    const std::int64_t begin = at_most(pixel, layout.pixel_count - 1);
    const int last = static_cast<int>(at_most(layout.pixel_count - 1 - begin, kPixels - 1));
    const int length = static_cast<int>(layout.feature_count);
    first = begin * length;
    for (int k = 0; k < kPixels; ++k) offsets[k] = (k < last ? k : last) * length;
  }
};

/// Where the weights of each color begin. Beyond the last there are the last again: what is
/// computed with them is 0, or nobody writes it.
template <int kColors>
struct ColorRows {
  int offsets[kColors];  // elements

  __device__ ColorRows(const ColorWeights& weights, const ColorLayout& layout) {
    const int last = static_cast<int>(layout.color_count - 1);
    const int stride = static_cast<int>(weights.color_stride);
    for (int o = 0; o < kColors; ++o) offsets[o] = (o < last ? o : last) * stride;
  }
};

/// The colors of kPixels pixels, as numbers; 0 where there is none.
template <class Form>
struct ReadColors {
  typename Form::T of[kPixels][Form::kColors];

  __device__ ReadColors(const typename Form::Stored* colors, std::int64_t pixel,
                        const ColorTask& task) {
    const std::int64_t count = task.layout.color_count;
    if (task.in_color_vectors && pixel + kPixels <= task.layout.pixel_count) {
      for (int v = 0; v < Form::kColors; ++v) {
        const auto read = read_vector<typename Form::Stored, kPixels>(
            colors + pixel * Form::kColors + v * kPixels);
        for (int j = 0; j < kPixels; ++j) {
          const int i = v * kPixels + j;
          of[i / Form::kColors][i % Form::kColors] = static_cast<typename Form::T>(read.at[j]);
        }
      }
      return;
    }
    for (int k = 0; k < kPixels; ++k) {
      for (int o = 0; o < Form::kColors; ++o) {
        const bool exists = pixel + k < task.layout.pixel_count && o < count;
        of[k][o] = exists ? static_cast<typename Form::T>(colors[(pixel + k) * count + o])
                          : typename Form::T(0);
      }
    }
  }
};

template <class Form>
__device__ void write_colors(const typename Form::T (&sums)[kPixels][Form::kColors],
                             std::int64_t pixel, const ColorTask& task,
                             typename Form::Stored* colors) {
  const std::int64_t count = task.layout.color_count;
  if (task.in_color_vectors && pixel + kPixels <= task.layout.pixel_count) {
    for (int v = 0; v < Form::kColors; ++v) {
      typename Form::Colors written;
      for (int j = 0; j < kPixels; ++j) {
        const int i = v * kPixels + j;
        written.at[j] =
            static_cast<typename Form::Stored>(sums[i / Form::kColors][i % Form::kColors]);
      }
      write_vector(written, colors + pixel * Form::kColors + v * kPixels);
    }
    return;
  }
  for (int k = 0; k < kPixels; ++k) {
    for (int o = 0; o < Form::kColors; ++o) {
      if (pixel + k < task.layout.pixel_count && o < count) {
        colors[(pixel + k) * count + o] = static_cast<typename Form::Stored>(sums[k][o]);
      }
    }
  }
}

/// Adds to the sums of some pixels what the vectors at `features` and `weights` contribute.
template <class Form>
__device__ void add_products(const typename Form::Stored* features,
                             const typename Form::Stored* weights, const PixelRows& rows,
                             const ColorRows<Form::kColors>& color_rows,
                             typename Form::T (&sums)[kPixels][Form::kColors]) {
  using T = typename Form::T;
  typename Form::Features read[kPixels];
  for (int k = 0; k < kPixels; ++k) read[k] = read_features<Form>(features + rows.offsets[k]);
  typename Form::Features of_color[Form::kColors];
  for (int o = 0; o < Form::kColors; ++o) {
    of_color[o] = read_features<Form>(weights + color_rows.offsets[o]);
  }
  for (int j = 0; j < Form::kWidth; ++j) {
    T factors[Form::kColors];
    for (int o = 0; o < Form::kColors; ++o) factors[o] = static_cast<T>(of_color[o].at[j]);
    for (int k = 0; k < kPixels; ++k) {
      const T feature = static_cast<T>(read[k].at[j]);
      for (int o = 0; o < Form::kColors; ++o) sums[k][o] += feature * factors[o];
    }
  }
}

// The threads of a row add up the features of the same pixels.
template <class Form>
__global__ void fill(ColorsArrays arrays, ColorTask task) {
  const ColorLayout& layout = task.layout;
  const auto* features = features_of_image<Form>(arrays.features, layout);
  const auto* weights = weights_of_image<Form>(arrays.weights);
  const ColorRows<Form::kColors> color_rows(arrays.weights, layout);
  auto* colors = colors_of_image<Form>(arrays.colors, layout);
  const std::int64_t pixels = std::int64_t{blockDim.y} * kPixels;  // of a block at a time
  for (std::int64_t tile = blockIdx.y * pixels; tile < layout.pixel_count;
       tile += gridDim.y * pixels) {
    const std::int64_t pixel = tile + std::int64_t{threadIdx.y} * kPixels;
    const PixelRows rows(pixel, layout);
    typename Form::T sums[kPixels][Form::kColors] = {};
    for (std::int64_t feature = std::int64_t{threadIdx.x} * Form::kWidth;
         feature < layout.feature_count; feature += std::int64_t{blockDim.x} * Form::kWidth) {
      add_products<Form>(features + rows.first + feature, weights + feature, rows, color_rows,
                         sums);
    }
    for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
      for (int k = 0; k < kPixels; ++k) {
        for (int o = 0; o < Form::kColors; ++o) {
          sums[k][o] += __shfl_down_sync(~0U, sums[k][o], offset);
        }
      }
    }
    if (threadIdx.x == 0) write_colors<Form>(sums, pixel, task, colors);
  }
}

/// Calls `compute` with the first of each kPixels pixels of a thread that keeps its features.
template <class Compute>
__device__ void for_each_pixels(const ColorLayout& layout, Compute compute) {
  const std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const std::int64_t rows = std::int64_t{gridDim.y} * blockDim.y;
  for (std::int64_t pixel = row * kPixels; pixel < layout.pixel_count; pixel += rows * kPixels) {
    compute(pixel);
  }
}

__device__ std::int64_t column_of_thread(int width) {
  return (std::int64_t{blockIdx.z} * blockDim.x + threadIdx.x) * width;
}

template <class Form>
__global__ void fill(FeaturesArrays arrays, ColorTask task) {
  using Stored = typename Form::Stored;
  using T = typename Form::T;
  const ColorLayout& layout = task.layout;
  const std::int64_t column = column_of_thread(Form::kWidth);
  if (column >= layout.feature_count) return;
  const auto* weights = weights_of_image<Form>(arrays.weights) + column;
  const ColorRows<Form::kColors> color_rows(arrays.weights, layout);
  const auto* colors = colors_of_image<Form>(arrays.colors, layout);
  auto* features = features_of_image<Form>(arrays.features, layout) + column;
  T factors[Form::kColors][Form::kWidth];
  for (int o = 0; o < Form::kColors; ++o) {
    const auto read = read_features<Form>(weights + color_rows.offsets[o]);
    for (int j = 0; j < Form::kWidth; ++j) factors[o][j] = static_cast<T>(read.at[j]);
  }
  for_each_pixels(layout, [&](std::int64_t pixel) {
    const ReadColors<Form> read(colors, pixel, task);
    const int pixels = static_cast<int>(at_most(layout.pixel_count - pixel, kPixels));
    Stored* row = features + pixel * layout.feature_count;
    for (int k = 0; k < kPixels; ++k, row += layout.feature_count) {
      typename Form::Features written;
      for (int j = 0; j < Form::kWidth; ++j) {
        T sum = 0;
        for (int o = 0; o < Form::kColors; ++o) sum += read.of[k][o] * factors[o][j];
        written.at[j] = static_cast<Stored>(sum);
      }
      if (k < pixels) write_vector(written, row);
    }
  });
}

/// Writes what the threads of a block that have the same features have summed of one color.
template <class T, int kWidth>
__device__ void store_sums(const T (&sums)[kWidth], std::int64_t feature_count, T* row) {
  sum_columns<ColorWalk::kThreads>(sums, [&](unsigned i, T sum) {
    const std::int64_t column = std::int64_t{blockIdx.z} * blockDim.x * kWidth + i;
    if (column < feature_count) row[column] = sum;
  });
}

template <class Form>
__global__ void fill(ColorWeightsArrays arrays, ColorTask task) {
  using T = typename Form::T;
  const ColorLayout& layout = task.layout;
  const std::int64_t column = column_of_thread(Form::kWidth);
  const auto* features =
      features_of_image<Form>(arrays.features, layout) +
      at_most(column, layout.feature_count - Form::kWidth);  // what lies beyond is not stored
  const auto* colors = colors_of_image<Form>(arrays.colors, layout);
  T sums[Form::kColors][Form::kWidth] = {};
  for_each_pixels(layout, [&](std::int64_t pixel) {
    const PixelRows rows(pixel, layout);
    typename Form::Features of_pixel[kPixels];
    for (int k = 0; k < kPixels; ++k) {  // colors beyond the last pixel are 0
      of_pixel[k] = read_features<Form>(features + rows.first + rows.offsets[k]);
    }
    const ReadColors<Form> read(colors, pixel, task);
    for (int k = 0; k < kPixels; ++k) {
      for (int j = 0; j < Form::kWidth; ++j) {
        const T feature = static_cast<T>(of_pixel[k].at[j]);
        for (int o = 0; o < Form::kColors; ++o) sums[o][j] += read.of[k][o] * feature;
      }
    }
  });
  const std::int64_t image = std::int64_t{blockIdx.y} * layout.image_count + blockIdx.x;
  for (int o = 0; o < Form::kColors; ++o) {
    if (o >= layout.color_count) break;
    store_sums(
        sums[o], layout.feature_count,
        static_cast<T*>(arrays.sums) + (image * layout.color_count + o) * layout.feature_count);
  }
}

ColorWalk walk_of(const ColorsArrays&, const ColorLayout& layout, std::int64_t width) {
  return walk_of_pixels(layout, width);
}

ColorWalk walk_of(const FeaturesArrays&, const ColorLayout& layout, std::int64_t width) {
  return walk_of_features(layout, width);
}

ColorWalk walk_of(const ColorWeightsArrays&, const ColorLayout& layout, std::int64_t width) {
  ColorWalk walk = walk_of_features(layout, width);
  walk.parts = color_parts(layout);  // as many as there is room for
  return walk;
}

/// Returns whether every vector of so many features lies where one access reaches it.
bool takes_vectors(const ColorWeights& weights, std::int64_t width) {
  return are_aligned({weights.first}) && weights.image_stride % width == 0 &&
         weights.color_stride % width == 0;
}

template <class Arrays>
bool takes_vectors(const Arrays& arrays, std::int64_t width) {
  return are_aligned({arrays.features}) && takes_vectors(arrays.weights, width);
}

bool takes_vectors(const ColorWeightsArrays& arrays, std::int64_t /*width*/) {
  return are_aligned({arrays.features});
}

template <class Form, class Arrays>
void launch(const Arrays& arrays, const ColorLayout& layout, void* stream) {
  const ColorWalk walk = walk_of(arrays, layout, Form::kWidth);
  const dim3 blocks(static_cast<unsigned>(layout.image_count), static_cast<unsigned>(walk.parts),
                    static_cast<unsigned>(walk.column_blocks));
  const dim3 threads(static_cast<unsigned>(walk.threads_x), static_cast<unsigned>(walk.threads_y));
  const bool starts_with_vectors =
      layout.image_count == 1 || layout.pixel_count * layout.color_count % kPixels == 0;
  const ColorTask task{
      .layout = layout,
      .in_color_vectors = layout.color_count == Form::kColors && starts_with_vectors &&
                          are_aligned({arrays.colors}, sizeof(typename Form::Colors))};
  void (*const kernel)(Arrays, ColorTask) = fill<Form>;
  launch_kernel("color_products", {blocks, threads}, stream, kernel, arrays, task);
}

template <class Stored, class T, int kWidth, class Arrays>
void launch_for_colors(const Arrays& arrays, const ColorLayout& layout, void* stream) {
  if (layout.color_count <= 3) {
    launch<ColorForm<Stored, T, kWidth, 3>>(arrays, layout, stream);
  } else {
    launch<ColorForm<Stored, T, kWidth, kMostColors>>(arrays, layout, stream);
  }
}

template <class Arrays>
void launch_in_type(const Arrays& arrays, const ColorLayout& layout, void* stream) {
  check(layout.color_count <= kMostColors, "color_products takes 4 colors at most");
  dispatch_all_types(layout.type, [&]<class Stored, class T>() {
    constexpr int kWidth = kVectorBytes / sizeof(Stored);
    if (layout.feature_count % kWidth == 0 && takes_vectors(arrays, kWidth)) {
      launch_for_colors<Stored, T, kWidth>(arrays, layout, stream);
    } else {
      launch_for_colors<Stored, T, 1>(arrays, layout, stream);
    }
  });
}

}  // namespace

void color_products_kernel(const ColorProductsArrays& arrays, const ColorLayout& layout,
                           void* stream) {
  std::visit([&](const auto& of_product) { launch_in_type(of_product, layout, stream); }, arrays);
}

}  // namespace ganscale::kernels
