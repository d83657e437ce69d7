#pragma once

#include <cstdint>
#include <optional>

#include "cost/device_table.h"
#include "cost/operation.h"

namespace ganscale::cost {

/// The smallest product that an instruction of a device computes, [rows, depth] x [depth, columns].
struct MatrixTile {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t depth = 1;
};

/// Returns the tile of a device for products of these numbers; none if it has no matrix units
/// for them. A CPU's tiles are vectors of 16 channels.
///
/// tf32: float32 products may be rounded to TF32.
/// Source: NVIDIA, PTX ISA 8.5, Sections 9.7.14 (mma: m8n8k4, m16n8k16, m16n8k8) and 9.7.15 (wgmma:
///         m64n8k16, m64n8k8).
std::optional<MatrixTile> tile_of(const Device& device, Number number, bool tf32);

/// A convolution or matrix product as matrix units see it: a row for each pixel of all images, a
/// column for each channel of the result, and for each of `taps` pixels of a kernel the channels of
/// the features.
struct MatrixProduct {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t channels = 0;
  std::int64_t taps = 1;

  double multiply_adds() const;
};

/// Returns the multiply-adds of the whole tiles that cover a product.
double multiply_adds_in_tiles(const MatrixProduct& product, const MatrixTile& tile);

}  // namespace ganscale::cost
