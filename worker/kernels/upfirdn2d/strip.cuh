#pragma once

#include <cstdint>
#include <limits>

#include "kernels/launch/vector.cuh"
#include "kernels/upfirdn2d/work.cuh"

/// upfirdn2d by 4 x 4 taps, the filter of StyleGAN2, if it keeps, doubles or halves the size.
///
/// A thread has a column of outputs, of as many channels as one access reads, and walks down: it
/// filters each row of the image once along x, and adds it to the outputs that are not complete.
/// by_strip reads rows of planes into registers, and what neighbors read in common comes from the
/// first cache; staged_strip.cuh has the form for channels last.
namespace ganscale::kernels {

constexpr int kStripTaps = 4;

/// A filter in the order of correlation, as column[y] * row[x] if it is such a product.
template <class Sum>
struct Product {
  Sum column[kStripTaps];
  Sum row[kStripTaps];
  bool is_product;
};

/// Finds the factors by the sums along both axes; one with a sum of 0 does not count as a product.
template <class Sum>
__device__ Product<Sum> product_of(const Sum* taps) {
  Product<Sum> product = {};
  Sum total = 0;
  Sum largest = 0;
  for (int y = 0; y < kStripTaps; ++y) {
    for (int x = 0; x < kStripTaps; ++x) {
      const Sum tap = taps[y * kStripTaps + x];
      product.column[y] += tap;
      product.row[x] += tap;
      largest = abs(tap) > largest ? abs(tap) : largest;
    }
    total += product.column[y];
  }
  product.is_product = total != 0;
  for (int y = 0; y < kStripTaps; ++y) product.column[y] /= total;
  for (int y = 0; y < kStripTaps; ++y) {
    for (int x = 0; x < kStripTaps; ++x) {
      const Sum error = abs(product.column[y] * product.row[x] - taps[y * kStripTaps + x]);
      if (!(error <= 16 * std::numeric_limits<Sum>::epsilon() * largest)) {
        product.is_product = false;
      }
    }
  }
  return product;
}

/// How threads share the outputs.
struct Strips {
  int row_count = 0;  ///< of outputs, of a strip
  std::int64_t strips_of_plane = 0;
  std::int64_t strip_count = 0;  ///< of all planes, or images in channels last
  int planes_of_image = 0;       ///< 1 in channels last
  int vectors = 0;               ///< of a pixel
};

/// Returns the first row of a strip, which may lie above the image: with up = 2 each begins
/// between two rows of pixels.
template <int kUp>
__device__ int first_row_of(std::int64_t strip, const Strips& strips, int pad_top) {
  const int lead = kUp == 2 ? (pad_top + 1) & 1 : 0;
  return static_cast<int>(strip) * strips.row_count - lead;
}

/// The taps of one output along x that meet pixels, and where these are.
template <int kUp, class Sum>
struct Across {
  static constexpr int kTaps = kStripTaps / kUp;
  Sum taps[kTaps];
  bool reaches[kTaps];  ///< not beyond the edge
  int first_pixel;
};

template <int kUp, int kDown, class Sum>
__device__ Across<kUp, Sum> across_of(const Product<Sum>& filter, const Work& work, int out_x) {
  const First first = first_of<kUp>(out_x, kDown, kUp, work.pad_left);
  Across<kUp, Sum> across;
  across.first_pixel = first.pixel;
  for (int i = 0; i < across.kTaps; ++i) {
    across.taps[i] = filter.row[i * kUp];
    if constexpr (kUp == 2) {
      if (first.tap == 1) across.taps[i] = filter.row[i * kUp + 1];
    }
    across.reaches[i] = first.pixel + i >= 0 && first.pixel + i < work.in.width;
  }
  return across;
}

/// The outputs of a column that rows still to come add to; zero at first.
template <int kUp, int kDown, int kWidth, class Sum>
struct Open {
  static constexpr int kSums = kUp == 2 ? 2 : kDown == 2 ? 1 : 3;
  static constexpr int kStepsToFirst = kUp == 1 && kDown == 1 ? 3 : 1;
  Sum sums[kSums][kWidth];
};

/// Adds the next kDown rows, and gives the kUp sums that they complete.
template <int kUp, int kDown, int kWidth, class Sum>
__device__ void take_rows(const Sum (&rows)[kDown][kWidth], const Sum (&taps)[kStripTaps],
                          Open<kUp, kDown, kWidth, Sum>& open, Sum (&done)[kUp][kWidth]) {
  auto& sums = open.sums;
  for (int j = 0; j < kWidth; ++j) {
    const Sum row = rows[0][j];
    if constexpr (kUp == 2) {
      done[0][j] = sums[1][j] + taps[3] * row;
      done[1][j] = sums[0][j] + taps[2] * row;
      sums[0][j] = taps[0] * row;
      sums[1][j] = taps[1] * row;
    } else if constexpr (kDown == 2) {
      done[0][j] = sums[0][j] + taps[2] * row + taps[3] * rows[1][j];
      sums[0][j] = taps[0] * row + taps[1] * rows[1][j];
    } else {
      done[0][j] = sums[0][j] + taps[3] * row;
      sums[0][j] = sums[1][j] + taps[2] * row;
      sums[1][j] = sums[2][j] + taps[1] * row;
      sums[2][j] = taps[0] * row;
    }
  }
}

/// Where a thread computes. Threads at the end of a grid have no channels or no outputs.
template <class T>
struct StripPlace {
  const T* x = nullptr;       ///< pixel (0, 0) of its channels
  T* out = nullptr;           ///< output (0, out_x)
  const T* addend = nullptr;  ///< of that output; null: none
  int out_x = 0;
  int first_row = 0;
  int end_row = 0;  ///< first_row if out_x is beyond the edge
  bool has_channels = false;
};

/// Returns the place of a thread of blocks (vectors, columns, strips).
template <int kUp, int kWidth, class T>
__device__ StripPlace<T> strip_place_of(const T* x, T* out, const Work& work,
                                        const Strips& strips) {
  const std::int64_t strip = std::int64_t{blockIdx.x} * blockDim.z + threadIdx.z;
  const int vector = blockIdx.z * blockDim.x + threadIdx.x;
  StripPlace<T> place;
  place.out_x = blockIdx.y * blockDim.y + threadIdx.y;
  place.has_channels = strip < strips.strip_count && vector < strips.vectors;
  if (!place.has_channels) return place;
  const std::int64_t plane = strip / strips.strips_of_plane;
  const std::int64_t n = plane / strips.planes_of_image;
  const std::int64_t c = plane % strips.planes_of_image + vector * kWidth;
  const std::int64_t to = n * work.out_strides.image + c * work.out_strides.channel +
                          place.out_x * work.out_strides.column;
  place.x = x + n * work.x_strides.image + c * work.x_strides.channel;
  place.out = out + to;
  place.addend = addend_of<T>(work, to);
  place.first_row = first_row_of<kUp>(strip % strips.strips_of_plane, strips, work.pad_top);
  const int beyond = place.first_row + strips.row_count;
  place.end_row = place.out_x >= work.out.width ? place.first_row
                  : beyond < work.out.height    ? beyond
                                                : work.out.height;
  return place;
}

/// Reads what kDown rows from `in_y` on have under the taps; zeros beyond the edges.
template <int kUp, int kDown, class T, class Sum>
__device__ void read_rows(const StripPlace<T>& place, const Across<kUp, Sum>& across,
                          const Work& work, int in_y,
                          Vector<T, 1> (&read)[kDown][kStripTaps / kUp]) {
  for (int k = 0; k < kDown; ++k) {
    const bool is_row = in_y + k >= 0 && in_y + k < work.in.height;
    const std::int64_t row = (in_y + k) * work.x_strides.row;
    for (int i = 0; i < across.kTaps; ++i) {
      read[k][i] = {};
      const std::int64_t column = (across.first_pixel + i) * work.x_strides.column;
      if (is_row && across.reaches[i]) {
        read[k][i] = {place.x[row + column]};
      }
    }
  }
}

/// Filters kDown rows along x.
template <int kUp, int kDown, int kWidth, class T, class Sum>
__device__ void filter_rows(const Vector<T, kWidth> (&read)[kDown][kStripTaps / kUp],
                            const Across<kUp, Sum>& across, Sum (&rows)[kDown][kWidth]) {
  for (int k = 0; k < kDown; ++k) {
    for (int j = 0; j < kWidth; ++j) {
      rows[k][j] = across.taps[0] * static_cast<Sum>(read[k][0].at[j]);
      for (int i = 1; i < across.kTaps; ++i) {
        rows[k][j] += across.taps[i] * static_cast<Sum>(read[k][i].at[j]);
      }
    }
  }
}

/// Writes outputs from row `out_y` on, of those that are the thread's own.
template <int kUp, int kWidth, class T, class Sum>
__device__ void write_rows(const StripPlace<T>& place, const Work& work, int out_y,
                           const Sum (&done)[kUp][kWidth]) {
  const int begin = place.first_row > 0 ? place.first_row : 0;
  for (int k = 0; k < kUp; ++k) {
    if (out_y + k < begin || out_y + k >= place.end_row) continue;
    const std::int64_t row = (out_y + k) * work.out_strides.row;
    Vector<T, kWidth> added = {};
    if (place.addend != nullptr) added = read_vector<T, kWidth>(place.addend + row);
    Vector<T, kWidth> result;
    for (int j = 0; j < kWidth; ++j) {
      result.at[j] = static_cast<T>(done[k][j] + static_cast<Sum>(added.at[j]));
    }
    write_vector(result, place.out + row);
  }
}

/// Returns the first row of pixels that a strip reads.
template <int kUp, int kDown, class T>
__device__ int first_input_row(const StripPlace<T>& place, const Work& work) {
  const int out_y = place.first_row - Open<kUp, kDown, 1, float>::kStepsToFirst * kUp;
  return (out_y * kDown - work.pad_top + kStripTaps - kDown) / kUp;
}

/// Computes the strip.
template <int kUp, int kDown, class T, class Sum>
__device__ void walk_down(const StripPlace<T>& place, const Product<Sum>& filter,
                          const Work& work) {
  constexpr int kSteps = 4;  // whose pixels are read before any is computed with
  const auto across = across_of<kUp, kDown>(filter, work, place.out_x);
  Open<kUp, kDown, 1, Sum> open = {};
  int out_y = place.first_row - open.kStepsToFirst * kUp;
  int in_y = first_input_row<kUp, kDown>(place, work);
  while (out_y < place.end_row) {
    Vector<T, 1> read[kSteps][kDown][kStripTaps / kUp];
    for (int step = 0; step < kSteps; ++step, in_y += kDown) {
      read_rows<kUp, kDown>(place, across, work, in_y, read[step]);
    }
    for (int step = 0; step < kSteps; ++step, out_y += kUp) {
      Sum rows[kDown][1];
      filter_rows<kUp>(read[step], across, rows);
      Sum done[kUp][1];
      take_rows<kUp, kDown>(rows, filter.column, open, done);
      write_rows(place, work, out_y, done);
    }
  }
}

/// Computes the strip with a filter that is not a product.
template <int kUp, int kWidth, class T, class Sum>
__device__ void apply_each_tap(const StripPlace<T>& place, const Sum* taps, const Work& work) {
  for (int y = place.first_row < 0 ? 0 : place.first_row; y < place.end_row; ++y) {
    for (int j = 0; j < kWidth; ++j) {
      const std::int64_t at = y * work.out_strides.row + j;
      const Sum added = place.addend == nullptr ? Sum(0) : static_cast<Sum>(place.addend[at]);
      place.out[at] =
          static_cast<T>(value_at<kUp>(place.x + j, taps, work, y, place.out_x) + added);
    }
  }
}

/// Of planes. Threads are (1, columns, strips).
template <int kUp, int kDown, class T, class Sum>
__global__ void by_strip(const T* __restrict__ x, const Sum* __restrict__ filter,
                         T* __restrict__ out, Work work, Strips strips) {
  const Sum* taps = load_filter(filter, work);
  const StripPlace<T> place = strip_place_of<kUp, 1>(x, out, work, strips);
  if (place.end_row <= place.first_row) return;
  const Product<Sum> product = product_of(taps);
  if (!product.is_product) return apply_each_tap<kUp, 1>(place, taps, work);
  walk_down<kUp, kDown>(place, product, work);
}

}  // namespace ganscale::kernels
