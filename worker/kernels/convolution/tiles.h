#pragma once

#include <cstdint>

/// What a thread does for a convolution whose images are divided into tiles, on a CPU.
///
/// A tile of results depends on a patch of pixels, and both are transformed, as is the weight, so
/// that at each of a few positions, the channels of a tile are those of its patch times a matrix of
/// weights. For a block of tiles, that is a product of matrices: fewer multiplications than without
/// the transforms, which are sums along one axis and then the other.
namespace ganscale::kernels::tiles {

constexpr std::int64_t kKernelSize = 3;
/// Channels are a multiple of this.
constexpr std::int64_t kPanelChannels = 32;
/// The tiles that a block has room for are a multiple of this.
constexpr std::int64_t kTileMultiple = 8;

struct Shape {
  std::int64_t images;
  std::int64_t inputs;   ///< channels
  std::int64_t outputs;  ///< channels
  std::int64_t x_height;
  std::int64_t x_width;
  std::int64_t padding;  ///< rows and columns before those of x
  std::int64_t tile_rows;
  std::int64_t tile_columns;

  std::int64_t tiles_in_image() const { return tile_rows * tile_columns; }
  std::int64_t tiles() const { return images * tiles_in_image(); }
};

/// A matrix of rows and channels for each position: [positions, channels / 32, rows, 32].
///
/// In this order, the inner loops read numbers that are next to each other.
struct Matrices {
  float* first;
  std::int64_t rows;
  std::int64_t channels;
  std::int64_t position_values;  ///< from a position to the next

  float* at(std::int64_t position, std::int64_t row, std::int64_t channel) const {
    const std::int64_t panel = channel / kPanelChannels;
    return first + position * position_values + (panel * rows + row) * kPanelChannels +
           channel % kPanelChannels;
  }
};

/// Some of the tiles of all images, in order, with their transformed numbers.
struct Block {
  std::int64_t first;
  std::int64_t count;
  Matrices patches;  ///< [positions, tiles, inputs]
  Matrices tiles;    ///< [tile positions, tiles, outputs]

  Block part(std::int64_t begin, std::int64_t end) const {
    Block some{first + begin, end - begin, patches, tiles};
    some.patches.first += begin * kPanelChannels;
    some.tiles.first += begin * kPanelChannels;
    return some;
  }
};

/// A range of input channels.
struct Inputs {
  std::int64_t begin;
  std::int64_t end;
};

/// Where the weights of all inputs, outputs and taps are.
struct Strides {
  std::int64_t input;
  std::int64_t output;
  std::int64_t row;     ///< of taps; negative if the kernel is rotated
  std::int64_t column;  ///< likewise
};

/// Images are channels last.
struct Passes {
  /// Transforms the weights of some inputs to [positions, inputs, outputs].
  void (*read_weights)(const float* weight, const Strides& strides, const Inputs& inputs,
                       const Matrices& to);
  /// Computes the gradients of the weights from those of what read_weights() has written.
  void (*write_weights)(const Matrices& from, const Inputs& inputs, float* weight,
                        const Strides& strides);
  /// Transforms the patches of a block. zeros: a pixel.
  void (*read_patches)(const Shape& of, const float* x, const float* zeros, const Block& block);
  /// Computes the transformed tiles from the patches and weights, which are [positions, inputs,
  /// outputs].
  void (*multiply)(const Block& block, const Matrices& weights);
  /// Writes the tiles to y.
  void (*write_tiles)(const Shape& of, const Block& block, float* y);
  /// Transforms the gradients of the tiles.
  void (*read_gradients)(const Shape& of, const float* gradient, const Block& block);
  /// Adds a block's products of patches and gradients at a position to [positions, inputs,
  /// outputs].
  void (*add_products)(const Block& block, std::int64_t position, const Inputs& inputs,
                       const Matrices& sums);
};

/// A way to divide images.
struct Method {
  std::int64_t results;         ///< of a tile along an axis
  std::int64_t positions;       ///< of patches and weights
  std::int64_t tile_positions;  ///< as many; 1 if a tile is the sum of all
  Passes avx2;                  ///< for processors with AVX2
  Passes avx512;                ///< with AVX-512; both compute the same numbers
};

/// Convolutions of stride 1 with 3x3 kernels, with 16 multiplications for 2x2 results instead of
/// 36.
///
/// Paper: Lavin & Gray 2016, arXiv:1509.09308, Section 4.1: F(2x2, 3x3).
extern const Method kWinograd;

/// The same, with padding 1, of an image doubled by repeating its pixels: 9 multiplications for 2x2
/// results.
extern const Method kDoubled;

/// The sums of the results of a 3x3 convolution with padding 1 over blocks of 2x2: 9
/// multiplications for each. The transpose of kDoubled.
extern const Method kSummed;

}  // namespace ganscale::kernels::tiles
