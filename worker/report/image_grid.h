#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace ganscale::report {

/// How images are laid out in one: row by row from the top left.
struct GridLayout {
  int columns = 8;
  int gap_pixels = 0;  ///< white space between two images
};

/// Returns the layout nearest to a square that is not higher than wide: 64 images are 8 x 8.
GridLayout square_layout(std::int64_t image_count);

/// Lays images out in one. Places that are left over stay white.
///
/// images:  [N, C, H, W], C = 1 or 3, N > 0; uint8, or floating in [-1, 1] (clamped; a NaN is
///          black).
/// Returns: [rows * H + gaps, columns * W + gaps, C] uint8 on the host.
/// Throws:  Error(kBug) for other shapes.
at::Tensor make_grid(const at::Tensor& images, GridLayout layout);

/// Returns an image as the bytes of a PNG file. pixels: [H, W, C] uint8, C = 1 or 3.
std::string encode_png(const at::Tensor& pixels);

/// Writes images as one PNG file, which appears as a whole or not at all. Throws OutputError.
void write_image_grid(const at::Tensor& images, GridLayout layout,
                      const std::filesystem::path& path);

}  // namespace ganscale::report
