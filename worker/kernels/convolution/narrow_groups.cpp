#include "kernels/convolution/narrow_groups.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <vector>

#include "kernels/convolution/vectors.h"
#include "kernels/launch/kernel_path.h"

// A group's channels of a band of rows are first copied next to each other, with margins of zeros,
// so that the inner loops neither branch nor leave the cache.
namespace ganscale::kernels::narrow_groups {
namespace {

constexpr std::int64_t kBandRows = 8;
constexpr std::int64_t kOutputs = 16;
/// Rows of sums are a multiple of this.
constexpr std::int64_t kFewestRows = 4;

/// The sums that the two inner loops keep in registers: of some pixels or inputs times 16 outputs.
template <int lanes, std::int64_t rows>
using Sums = typename Lanes<lanes>::Vector[rows][kOutputs / lanes];

struct Shape {
  std::int64_t images;
  std::int64_t height;
  std::int64_t width;
  std::int64_t groups;
  std::int64_t inputs;   ///< channels of a group
  std::int64_t outputs;  ///< channels of a group
  std::int64_t kernel;

  std::int64_t margin() const { return kernel / 2; }
  std::int64_t padded_width() const { return width + 2 * margin(); }
  std::int64_t weights_per_group() const { return kernel * kernel * inputs * outputs; }
};

Shape shape_of(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options) {
  const std::int64_t inputs = x.size(1) / options.groups;
  const std::int64_t outputs =
      options.transposed ? weight.size(1) : weight.size(0) / options.groups;
  return {x.size(0), x.size(2), x.size(3), options.groups, inputs, outputs, weight.size(2)};
}

/// Returns the weight as [groups, K, K, inputs, outputs]. A transposed convolution that keeps the
/// size is a convolution with the flipped kernel.
at::Tensor packed(const at::Tensor& weight, const Shape& of, bool transposed) {
  const auto grouped = weight.reshape({of.groups, -1, weight.size(1), of.kernel, of.kernel});
  if (!transposed) return grouped.permute({0, 3, 4, 2, 1}).contiguous();
  return grouped.permute({0, 3, 4, 1, 2}).flip({1, 2}).contiguous();
}

at::Tensor unpacked(const at::Tensor& packed, const at::Tensor& weight, bool transposed) {
  const auto grouped =
      transposed ? packed.flip({1, 2}).permute({0, 3, 4, 1, 2}) : packed.permute({0, 4, 3, 1, 2});
  return grouped.reshape(weight.sizes());
}

/// Some rows of one image.
struct Band {
  std::int64_t image;
  std::int64_t first_row;
  std::int64_t rows;
};

/// The channels of a group in a pixel, and the zeros around an image.
struct Part {
  std::int64_t first_channel;
  std::int64_t channels;
  std::int64_t margin;
};

/// Copies a part of the band's pixels to [rows + 2 margin, width + 2 margin, channels]; what lies
/// beyond the image is left zero.
void copy_band(const at::Tensor& x, const Band& band, const Part& part, float* to) {
  const std::int64_t all_channels = x.size(1);
  const std::int64_t height = x.size(2);
  const std::int64_t width = x.size(3);
  const std::int64_t row_values = (width + 2 * part.margin) * part.channels;
  const auto* from = x.const_data_ptr<float>() + part.first_channel;
  for (std::int64_t i = 0; i < band.rows + 2 * part.margin; ++i, to += row_values) {
    const std::int64_t row = band.first_row - part.margin + i;
    if (row < 0 || row >= height) {
      std::fill_n(to, row_values, 0.0F);
      continue;
    }
    const float* pixel = from + (band.image * height + row) * width * all_channels;
    float* target = to + part.margin * part.channels;
    for (std::int64_t column = 0; column < width; ++column) {
      std::copy_n(pixel, part.channels, target);
      pixel += all_channels;
      target += part.channels;
    }
  }
}

Band band_of(const Shape& of, std::int64_t number) {
  const std::int64_t per_image = (of.height + kBandRows - 1) / kBandRows;
  const std::int64_t first = number % per_image * kBandRows;
  return {number / per_image, first, std::min(kBandRows, of.height - first)};
}

std::int64_t band_count(const Shape& of) {
  return of.images * ((of.height + kBandRows - 1) / kBandRows);
}

std::int64_t padded_values(const Shape& of) {
  return (kBandRows + 2 * of.margin()) * of.padded_width() * of.inputs;
}

/// Adds the products of each number with kOutputs factors to its row of sums.
///
/// numbers: one per row, which are `distance` apart.
template <int lanes, std::int64_t rows>
GANSCALE_INLINE void add_products(const float* numbers, std::int64_t distance, const float* factors,
                                  Sums<lanes, rows>& sums) {
#pragma GCC unroll 8
  for (std::int64_t row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < kOutputs / lanes; ++v)
      sums[row][v] += vector_at<lanes>(factors + v * lanes) * numbers[row * distance];
  }
}

/// Writes kOutputs channels of a row of pixels that are `pixel_values` apart.
///
/// in: the first of the padded rows that the kernel sees; weight: of the first of these outputs.
template <int lanes, std::int64_t pixels>
GANSCALE_INLINE void convolve_row(const Shape& of, const float* in, const float* weight, float* out,
                                  std::int64_t pixel_values) {
  for (std::int64_t x = 0; x < of.width; x += pixels) {
    Sums<lanes, pixels> sums = {};
    const float* tap = weight;
    for (std::int64_t k = 0; k < of.kernel * of.kernel; ++k) {
      const float* pixel = in + (k / of.kernel * of.padded_width() + k % of.kernel + x) * of.inputs;
      for (std::int64_t input = 0; input < of.inputs; ++input, tap += of.outputs)
        add_products<lanes, pixels>(pixel + input, of.inputs, tap, sums);
    }
#pragma GCC unroll 8
    for (std::int64_t p = 0; p < pixels; ++p) {
#pragma GCC unroll 2
      for (std::int64_t v = 0; v < kOutputs / lanes; ++v)
        vector_at<lanes>(out + (x + p) * pixel_values + v * lanes) = sums[p][v];
    }
  }
}

/// Adds to the weight gradient of some inputs and kOutputs outputs, at one position of the kernel,
/// what a band contributes.
///
/// in: the padded pixel that the position sees first; gradient: [rows, width, of.outputs].
template <int lanes, std::int64_t inputs>
GANSCALE_INLINE void add_position(const Shape& of, std::int64_t rows, const float* in,
                                  const float* gradient, float* out) {
  Sums<lanes, inputs> sums = {};
  for (std::int64_t y = 0; y < rows; ++y, in += of.padded_width() * of.inputs) {
    for (std::int64_t x = 0; x < of.width; ++x, gradient += of.outputs)
      add_products<lanes, inputs>(in + x * of.inputs, /*distance=*/1, gradient, sums);
  }
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < inputs; ++i, out += of.outputs) {
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < kOutputs / lanes; ++v)
      vector_at<lanes>(out + v * lanes) += sums[i][v];
  }
}

/// Adds what a band contributes to the weight gradient of a group.
template <int lanes, std::int64_t inputs>
GANSCALE_INLINE void add_band(const Shape& of, std::int64_t rows, const float* in,
                              const float* gradient, float* out) {
  for (std::int64_t k = 0; k < of.kernel * of.kernel; ++k) {
    const float* first = in + (k / of.kernel * of.padded_width() + k % of.kernel) * of.inputs;
    for (std::int64_t input = 0; input < of.inputs; input += inputs) {
      float* target = out + (k * of.inputs + input) * of.outputs;
      for (std::int64_t output = 0; output < of.outputs; output += kOutputs)
        add_position<lanes, inputs>(of, rows, first + input, gradient + output, target + output);
    }
  }
}

/// Writes the channels of a group for a band.
///
/// in: its padded pixels; out: the group's channels of its first pixel.
template <int lanes, std::int64_t pixels>
GANSCALE_INLINE void convolve_band(const Shape& of, std::int64_t rows, const float* in,
                                   const float* weight, float* out) {
  const std::int64_t channels = of.groups * of.outputs;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t output = 0; output < of.outputs; output += kOutputs)
      convolve_row<lanes, pixels>(of, in, weight + output, out + output, channels);
    in += of.padded_width() * of.inputs;
    out += of.width * channels;
  }
}

using ConvolveBand = void(const Shape& of, std::int64_t rows, const float* in, const float* weight,
                          float* out);

GANSCALE_AVX2 void convolve_band_avx2(const Shape& of, std::int64_t rows, const float* in,
                                      const float* weight, float* out) {
  convolve_band<8, 4>(of, rows, in, weight, out);
}

GANSCALE_AVX512 void convolve_band_avx512(const Shape& of, std::int64_t rows, const float* in,
                                          const float* weight, float* out) {
  convolve_band<16, 8>(of, rows, in, weight, out);
}

/// Returns the fastest for so many pixels in a row.
ConvolveBand* convolve_band_for(std::int64_t width) {
  return has_avx512() && width % 8 == 0 ? convolve_band_avx512 : convolve_band_avx2;
}

GANSCALE_AVX2 void add_band_avx2(const Shape& of, std::int64_t rows, const float* in,
                                 const float* gradient, float* out) {
  add_band<8, 4>(of, rows, in, gradient, out);
}

bool keeps_size(const Shape& of, const at::Tensor& weight, const Convolution2d& options) {
  return options.stride == 1 && of.kernel % 2 == 1 && weight.size(3) == of.kernel &&
         options.padding == of.margin();
}

bool fits_registers(const Shape& of) {
  return of.width % kFewestRows == 0 && of.inputs % kFewestRows == 0 && of.outputs % kOutputs == 0;
}

}  // namespace

bool takes(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options) {
  if (options.groups == 1 || takes_kernels(x) || x.scalar_type() != at::kFloat) return false;
  const Shape shape = shape_of(x, weight, options);
  return keeps_size(shape, weight, options) && fits_registers(shape) &&
         x.is_contiguous(at::MemoryFormat::ChannelsLast) && has_avx2();
}

bool takes_weight_gradient(const at::Tensor& x, const at::Tensor& weight,
                           const Convolution2d& options) {
  return !has_avx512() && takes(x, weight, options);
}

at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options) {
  RECORD_FUNCTION("ganscale::convolution2d", std::vector<c10::IValue>({x, weight}));
  const Shape of = shape_of(x, weight, options);
  const std::int64_t channels = of.groups * of.outputs;
  const at::Tensor weights = packed(weight, of, options.transposed);
  at::Tensor y = at::empty({of.images, channels, of.height, of.width},
                           x.options().memory_format(at::MemoryFormat::ChannelsLast));
  auto* out = y.mutable_data_ptr<float>();
  ConvolveBand* const convolve_band = convolve_band_for(of.width);
  const auto convolve_bands = [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> in(padded_values(of));
    for (std::int64_t i = begin; i < end; ++i) {
      const Band band = band_of(of, i);
      const std::int64_t first_pixel = (band.image * of.height + band.first_row) * of.width;
      for (std::int64_t group = 0; group < of.groups; ++group) {
        copy_band(x, band, {group * of.inputs, of.inputs, of.margin()}, in.data());
        convolve_band(of, band.rows, in.data(),
                      weights.const_data_ptr<float>() + group * of.weights_per_group(),
                      out + first_pixel * channels + group * of.outputs);
      }
    }
  };
  at::parallel_for(0, band_count(of), 1, convolve_bands);
  return y;
}

at::Tensor weight_gradient(const at::Tensor& x, const at::Tensor& gradient,
                           const at::Tensor& weight, const Convolution2d& options) {
  RECORD_FUNCTION("ganscale::convolution2d_weight", std::vector<c10::IValue>({x, gradient}));
  const Shape of = shape_of(x, weight, options);
  const at::Tensor dense = gradient.contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor sums =
      at::zeros({of.groups, of.kernel, of.kernel, of.inputs, of.outputs}, x.options());
  const auto sum_groups = [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> in(padded_values(of));
    std::vector<float> out(kBandRows * of.width * of.outputs);
    for (std::int64_t group = begin; group < end; ++group) {
      float* target = sums.mutable_data_ptr<float>() + group * of.weights_per_group();
      for (std::int64_t i = 0; i < band_count(of); ++i) {
        const Band band = band_of(of, i);
        copy_band(x, band, {group * of.inputs, of.inputs, of.margin()}, in.data());
        copy_band(dense, band, {group * of.outputs, of.outputs, /*margin=*/0}, out.data());
        add_band_avx2(of, band.rows, in.data(), out.data(), target);
      }
    }
  };
  at::parallel_for(0, of.groups, 1, sum_groups);
  return unpacked(sums, weight, options.transposed);
}

}  // namespace ganscale::kernels::narrow_groups
