#pragma once

#include <filesystem>
#include <string>

#include "cli/image_sampler.h"

namespace ganscale::cli {

/// What a grid of mixed styles shows.
struct StyleMixing {
  SampleSpec rows;          ///< who gives all styles but those of `layers`
  SampleSpec columns;       ///< who gives the styles of `layers`
  std::string layers = {};  ///< empty: 0-6, but not the last of a small model
};

/// Writes a grid: the sources in the first column and the first row, else the image of the row's
/// styles with some layers of the column's. Throws UsageError for a model without styles and for
/// layers that it lacks.
///
/// Source: Karras et al. 2019, arXiv:1812.04948, Figure 3.
void write_style_mixing(const ImageSampler& sampler, const StyleMixing& mixing,
                        const std::filesystem::path& file);

}  // namespace ganscale::cli
