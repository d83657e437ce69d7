#pragma once

#include <filesystem>
#include <string>

#include "cli/images/image_sampler.h"

namespace ganscale::cli {

/// What a grid of mixed styles shows.
struct StyleMixing {
  SampleSpec rows;          ///< the sources of all styles but those of `layers`
  SampleSpec columns;       ///< the sources of the styles of `layers`
  std::string layers = {};  ///< empty: 0-6, without the last layer of a small model
  int scale = 1;            ///< a pixel of an image is a square of so many
};

/// Writes a grid: the sources in the first column and row; all others are images with the row's
/// styles, but the column's in some layers. Throws UsageError for a model without styles and for
/// layers that it does not have.
///
/// Source: Karras et al. 2019, arXiv:1812.04948, Figure 3.
void write_style_mixing(const ImageSampler& sampler, const StyleMixing& mixing,
                        const std::filesystem::path& file);

}  // namespace ganscale::cli
