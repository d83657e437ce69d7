#include <array>
#include <cstddef>

#include "kernels/convolution/tile_axes.h"
#include "kernels/convolution/tiles.h"
#include "kernels/convolution/vectors.h"

namespace ganscale::kernels::tiles {
namespace {

/// Transforms numbers along one axis, and then along the other.
template <class Transform, class Value, std::size_t from, std::size_t to>
GANSCALE_INLINE void apply(const Value (&in)[from][from], Value (&out)[to][to]) {
  Value columns[from][to];
#pragma GCC unroll 4
  for (std::size_t x = 0; x < from; ++x) {
    Value column[from];
#pragma GCC unroll 4
    for (std::size_t y = 0; y < from; ++y) column[y] = in[y][x];
    Transform::apply(column, columns[x]);
  }
#pragma GCC unroll 4
  for (std::size_t y = 0; y < to; ++y) {
    Value row[from];
#pragma GCC unroll 4
    for (std::size_t x = 0; x < from; ++x) row[x] = columns[x][y];
    Transform::apply(row, out[y]);
  }
}

/// Some channels of all numbers of a square.
template <int lanes, std::int64_t size>
using Square = typename Lanes<lanes>::Value[size][size];

/// Numbers in memory: those of row y and column x are at first + y * row + x * column.
template <class Number>
struct Grid {
  Number* first;
  std::int64_t row;
  std::int64_t column;

  Grid from(std::int64_t channel) const { return {first + channel, row, column}; }
};

template <int lanes, std::int64_t size, class Number>
GANSCALE_INLINE void load(const Grid<Number>& from, Square<lanes, size>& to) {
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < size * size; ++i)
    to[i / size][i % size] =
        vector_at<lanes>(from.first + i / size * from.row + i % size * from.column);
}

template <int lanes, std::int64_t size>
GANSCALE_INLINE void store(const Square<lanes, size>& from, const Grid<float>& to) {
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < size * size; ++i)
    vector_at<lanes>(to.first + i / size * to.row + i % size * to.column) =
        from[i / size][i % size];
}

/// Returns the positions of a row and channel of matrices.
template <std::int64_t size>
Grid<float> positions_of(const Matrices& matrices, std::int64_t row, std::int64_t channel) {
  return {matrices.at(0, row, channel), size * matrices.position_values, matrices.position_values};
}

/// A tile's place.
struct Place {
  std::int64_t image;
  std::int64_t row;     ///< of tiles
  std::int64_t column;  ///< of tiles
};

Place place_of(const Shape& of, std::int64_t tile) {
  const std::int64_t in_image = tile % of.tiles_in_image();
  return {tile / of.tiles_in_image(), in_image / of.tile_columns, in_image % of.tile_columns};
}

/// Returns the tile's results in y, or their gradients.
template <class Axis, class Number>
Grid<Number> results_of(const Shape& of, std::int64_t tile, Number* y) {
  const Place at = place_of(of, tile);
  const std::int64_t row_values = of.tile_columns * Axis::kResults * of.outputs;
  const std::int64_t row = (at.image * of.tile_rows + at.row) * Axis::kResults;
  return {y + row * row_values + at.column * Axis::kResults * of.outputs, row_values, of.outputs};
}

template <class Axis>
using Patch = std::array<const float*, Axis::kPatch * Axis::kPatch>;

/// Returns the first channel of each pixel that a tile depends on; `zeros` beyond the image.
template <class Axis>
Patch<Axis> patch_of(const Shape& of, const float* x, const float* zeros, std::int64_t tile) {
  const Place at = place_of(of, tile);
  Patch<Axis> patch;
  for (std::int64_t i = 0; i < std::ssize(patch); ++i) {
    const std::int64_t row = at.row * Axis::kPatchStride - of.padding + i / Axis::kPatch;
    const std::int64_t column = at.column * Axis::kPatchStride - of.padding + i % Axis::kPatch;
    const bool inside = row >= 0 && row < of.x_height && column >= 0 && column < of.x_width;
    const std::int64_t pixel = (at.image * of.x_height + row) * of.x_width + column;
    patch[i] = inside ? x + pixel * of.inputs : zeros;
  }
  return patch;
}

template <class Axis, int lanes>
GANSCALE_INLINE void read_patches(const Shape& of, const float* x, const float* zeros,
                                  const Block& block) {
  for (std::int64_t i = 0; i < block.count; ++i) {
    const Patch<Axis> patch = patch_of<Axis>(of, x, zeros, block.first + i);
    for (std::int64_t channel = 0; channel < of.inputs; channel += lanes) {
      Square<lanes, Axis::kPatch> pixels;
#pragma GCC unroll 16
      for (std::int64_t p = 0; p < Axis::kPatch * Axis::kPatch; ++p)
        pixels[p / Axis::kPatch][p % Axis::kPatch] = vector_at<lanes>(patch[p] + channel);
      Square<lanes, Axis::kPositions> transformed;
      apply<typename Axis::Patch>(pixels, transformed);
      store<lanes, Axis::kPositions>(transformed,
                                     positions_of<Axis::kPositions>(block.patches, i, channel));
    }
  }
}

template <class Axis, int lanes>
GANSCALE_INLINE void write_tiles(const Shape& of, const Block& block, float* y) {
  for (std::int64_t i = 0; i < block.count; ++i) {
    const Grid<float> results = results_of<Axis>(of, block.first + i, y);
    for (std::int64_t channel = 0; channel < of.outputs; channel += lanes) {
      Square<lanes, Axis::kTilePositions> transformed;
      load<lanes, Axis::kTilePositions>(positions_of<Axis::kTilePositions>(block.tiles, i, channel),
                                        transformed);
      Square<lanes, Axis::kResults> tile;
      apply<typename Axis::Tile>(transformed, tile);
      store<lanes, Axis::kResults>(tile, results.from(channel));
    }
  }
}

template <class Axis, int lanes>
GANSCALE_INLINE void read_gradients(const Shape& of, const float* gradient, const Block& block) {
  for (std::int64_t i = 0; i < block.count; ++i) {
    const Grid<const float> results = results_of<Axis>(of, block.first + i, gradient);
    for (std::int64_t channel = 0; channel < of.outputs; channel += lanes) {
      Square<lanes, Axis::kResults> tile;
      load<lanes, Axis::kResults>(results.from(channel), tile);
      Square<lanes, Axis::kTilePositions> transformed;
      apply<typename Axis::TileTransposed>(tile, transformed);
      store<lanes, Axis::kTilePositions>(
          transformed, positions_of<Axis::kTilePositions>(block.tiles, i, channel));
    }
  }
}

/// The kernels of an input and some outputs.
template <int lanes>
using Taps = float[kKernelSize][kKernelSize][lanes];

template <class Axis, int lanes>
GANSCALE_INLINE void read_weights(const float* weight, const Strides& strides, const Inputs& inputs,
                                  const Matrices& to) {
  for (std::int64_t output = 0; output < to.channels; output += lanes) {
    for (std::int64_t input = inputs.begin; input < inputs.end; ++input) {
      const float* first = weight + input * strides.input + output * strides.output;
      Taps<lanes> taps;
      for (std::int64_t i = 0; i < lanes; ++i) {
        for (std::int64_t y = 0; y < kKernelSize; ++y) {
          for (std::int64_t x = 0; x < kKernelSize; ++x)
            taps[y][x][i] = first[i * strides.output + y * strides.row + x * strides.column];
        }
      }
      Square<lanes, kKernelSize> kernels;
      load<lanes, kKernelSize>(Grid<float>{taps[0][0], kKernelSize * lanes, lanes}, kernels);
      Square<lanes, Axis::kPositions> transformed;
      apply<typename Axis::Kernel>(kernels, transformed);
      store<lanes, Axis::kPositions>(transformed,
                                     positions_of<Axis::kPositions>(to, input, output));
    }
  }
}

template <class Axis, int lanes>
GANSCALE_INLINE void write_weights(const Matrices& from, const Inputs& inputs, float* weight,
                                   const Strides& strides) {
  for (std::int64_t output = 0; output < from.channels; output += lanes) {
    for (std::int64_t input = inputs.begin; input < inputs.end; ++input) {
      Square<lanes, Axis::kPositions> transformed;
      load<lanes, Axis::kPositions>(positions_of<Axis::kPositions>(from, input, output),
                                    transformed);
      Square<lanes, kKernelSize> kernels;
      apply<typename Axis::KernelTransposed>(transformed, kernels);
      Taps<lanes> taps;
      store<lanes, kKernelSize>(kernels, {taps[0][0], kKernelSize * lanes, lanes});
      float* first = weight + input * strides.input + output * strides.output;
      for (std::int64_t i = 0; i < lanes; ++i) {
        for (std::int64_t y = 0; y < kKernelSize; ++y) {
          for (std::int64_t x = 0; x < kKernelSize; ++x)
            first[i * strides.output + y * strides.row + x * strides.column] = taps[y][x][i];
        }
      }
    }
  }
}

/// What the inner loop keeps in registers: some rows and two vectors of columns of a product.
template <int lanes>
struct Sums {
  static constexpr std::int64_t kRows = lanes / 2;
  static constexpr std::int64_t kVectors = 2;
  static constexpr std::int64_t kColumns = kVectors * lanes;

  typename Lanes<lanes>::Value of[kRows][kVectors];
};

/// The left factor: the number of row i and column k is first[i * row + k * column].
struct Left {
  const float* first;
  std::int64_t row;
  std::int64_t column;
};

/// right: its rows are kPanelChannels numbers apart; inner: columns of the left factor, rows of the
/// right one.
template <int lanes>
GANSCALE_INLINE void multiply_into(Sums<lanes>& sums, const Left& left, const float* right,
                                   std::int64_t inner) {
  const float* numbers = left.first;
  for (std::int64_t k = 0; k < inner; ++k, numbers += left.column, right += kPanelChannels) {
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < Sums<lanes>::kRows; ++i) {
#pragma GCC unroll 2
      for (std::int64_t v = 0; v < Sums<lanes>::kVectors; ++v)
        sums.of[i][v] += vector_at<lanes>(right + v * lanes) * numbers[i * left.row];
    }
  }
}

enum class Store { kWrite, kAdd };

template <int lanes, Store mode>
GANSCALE_INLINE void store_sums(const Sums<lanes>& sums, float* to) {
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < Sums<lanes>::kRows; ++i) {
#pragma GCC unroll 2
    for (std::int64_t v = 0; v < Sums<lanes>::kVectors; ++v) {
      auto& vector = vector_at<lanes>(to + i * kPanelChannels + v * lanes);
      if constexpr (mode == Store::kAdd) {
        vector += sums.of[i][v];
      } else {
        vector = sums.of[i][v];
      }
    }
  }
}

template <class Axis, int lanes>
GANSCALE_INLINE void multiply(const Block& block, const Matrices& weights) {
  constexpr std::int64_t all = Axis::kPositions * Axis::kPositions;
  constexpr std::int64_t results = Axis::kTilePositions * Axis::kTilePositions;
  for (std::int64_t result = 0; result < results; ++result) {
    for (std::int64_t output = 0; output < weights.channels; output += Sums<lanes>::kColumns) {
      for (std::int64_t tile = 0; tile < block.count; tile += Sums<lanes>::kRows) {
        Sums<lanes> sums = {};
        for (std::int64_t position = result; position < all; position += results) {
          for (std::int64_t input = 0; input < weights.rows; input += kPanelChannels) {
            multiply_into<lanes>(sums, {block.patches.at(position, tile, input), kPanelChannels, 1},
                                 weights.at(position, input, output), kPanelChannels);
          }
        }
        store_sums<lanes, Store::kWrite>(sums, block.tiles.at(result, tile, output));
      }
    }
  }
}

template <class Axis, int lanes>
GANSCALE_INLINE void add_products(const Block& block, std::int64_t position, const Inputs& inputs,
                                  const Matrices& to) {
  const std::int64_t result = position % (Axis::kTilePositions * Axis::kTilePositions);
  for (std::int64_t output = 0; output < to.channels; output += Sums<lanes>::kColumns) {
    for (std::int64_t input = inputs.begin; input < inputs.end; input += Sums<lanes>::kRows) {
      Sums<lanes> sums = {};
      multiply_into<lanes>(sums, {block.patches.at(position, 0, input), 1, kPanelChannels},
                           block.tiles.at(result, 0, output), block.count);
      store_sums<lanes, Store::kAdd>(sums, to.at(position, input, output));
    }
  }
}

/// The passes of a method for one instruction set.
template <class Axis>
struct PassesOf {
#define GANSCALE_PASSES(name, target, lanes)                                                  \
  target static void read_weights_##name(const float* weight, const Strides& strides,         \
                                         const Inputs& inputs, const Matrices& to) {          \
    read_weights<Axis, lanes>(weight, strides, inputs, to);                                   \
  }                                                                                           \
  target static void write_weights_##name(const Matrices& from, const Inputs& inputs,         \
                                          float* weight, const Strides& strides) {            \
    write_weights<Axis, lanes>(from, inputs, weight, strides);                                \
  }                                                                                           \
  target static void read_patches_##name(const Shape& of, const float* x, const float* zeros, \
                                         const Block& block) {                                \
    read_patches<Axis, lanes>(of, x, zeros, block);                                           \
  }                                                                                           \
  target static void multiply_##name(const Block& block, const Matrices& weights) {           \
    multiply<Axis, lanes>(block, weights);                                                    \
  }                                                                                           \
  target static void write_tiles_##name(const Shape& of, const Block& block, float* y) {      \
    write_tiles<Axis, lanes>(of, block, y);                                                   \
  }                                                                                           \
  target static void read_gradients_##name(const Shape& of, const float* gradient,            \
                                           const Block& block) {                              \
    read_gradients<Axis, lanes>(of, gradient, block);                                         \
  }                                                                                           \
  target static void add_products_##name(const Block& block, std::int64_t position,           \
                                         const Inputs& inputs, const Matrices& sums) {        \
    add_products<Axis, lanes>(block, position, inputs, sums);                                 \
  }                                                                                           \
  static constexpr Passes k_##name = {                                                        \
      read_weights_##name, write_weights_##name,  read_patches_##name, multiply_##name,       \
      write_tiles_##name,  read_gradients_##name, add_products_##name}

  GANSCALE_PASSES(avx2, GANSCALE_AVX2, 8);
  GANSCALE_PASSES(avx512, GANSCALE_AVX512, 16);
#undef GANSCALE_PASSES
};

template <class Axis>
constexpr Method method_of() {
  return {Axis::kResults, Axis::kPositions * Axis::kPositions,
          Axis::kTilePositions * Axis::kTilePositions, PassesOf<Axis>::k_avx2,
          PassesOf<Axis>::k_avx512};
}

}  // namespace

const Method kWinograd = method_of<Winograd>();
const Method kDoubled = method_of<Doubled>();
const Method kSummed = method_of<Summed>();

}  // namespace ganscale::kernels::tiles
