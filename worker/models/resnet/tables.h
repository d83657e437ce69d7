#pragma once

#include <span>
#include <vector>

namespace ganscale::models::resnet {

/// A residual block of a discriminator.
struct Down {
  int width;
  bool halves = true;  ///< the resolution
};

/// The widths of a residual pair. The generator starts at 4x4, and each of its blocks doubles that.
struct Table {
  int resolution;
  int first_width;         ///< of the generator at 4x4
  std::vector<int> up;     ///< widths after each block of the generator
  std::vector<Down> down;  ///< of the discriminator, from the image on
  /// Blocks that change the width or the resolution have a 1x1 convolution as their shortcut, and
  /// the discriminator's first block takes the image itself. Else no block changes the width, and
  /// a convolution comes before the discriminator's blocks.
  bool has_learned_shortcuts = true;
  bool sums_pixels = true;  ///< after the discriminator's last block; else it takes their mean
};

/// Returns the table with all widths times the factor.
Table scaled(Table table, double factor);

/// A small pair for 32x32: 64 channels where Miyato et al. have 256 and 128, and no convolutions in
/// shortcuts.
const Table& small_table();

/// Tables of Miyato et al. 2018, arXiv:1802.05957: for 32x32 Table 3, for 128x128 Table 5. The one
/// for 64x64 is from the authors' implementation; for 256x256, both networks of 128x128 have one
/// more block next to the image, with half its width (our choice).
std::span<const Table> sngan_tables();

}  // namespace ganscale::models::resnet
