#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace ganscale::report {

/// The layout of a grid of images: row by row from the top left.
struct GridLayout {
  int columns = 8;
  int gap_pixels = 0;  ///< white space between two images
  int scale = 1;       ///< a pixel of an image is a square of so many
};

/// Returns the most square layout that is not taller than wide: 8 x 8 for 64 images.
GridLayout square_layout(std::int64_t image_count);

/// Arranges images in a grid. Empty cells are white.
///
/// images:  [N, C, H, W], C = 1 or 3, N > 0; uint8, or floating point in [-1, 1] (clamped; NaN is
///          black).
/// Returns: [rows * scale * H + gaps, columns * scale * W + gaps, C] uint8 on the host.
/// Throws:  Error(kBug) for other shapes.
at::Tensor make_grid(const at::Tensor& images, GridLayout layout);

/// Encodes an image as PNG. pixels: [H, W, C] uint8, C = 1 or 3.
std::string encode_png(const at::Tensor& pixels);

/// Writes a grid of images as a PNG file, atomically. Throws OutputError.
void write_image_grid(const at::Tensor& images, GridLayout layout,
                      const std::filesystem::path& path);

}  // namespace ganscale::report
