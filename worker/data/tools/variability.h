#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "data/image/source.h"

namespace ganscale::data {

/// The records of a rank: first, first + stride, ...
struct RecordShare {
  std::int64_t first = 0;
  std::int64_t stride = 1;
  int threads = 1;
};

/// Returns the sums for the analysis of variance: [labels, channels, 4] int64, for each label and
/// channel the number of images, and number, sum and sum of squares of their pixels. They are
/// integers, so their sum over ranks is exact.
///
/// Images may differ in size, but not in channels. Alpha is ignored.
/// Throws: DataError: no labels, or a damaged record, which it names.
at::Tensor class_sums(const Source& source, const RecordShare& share,
                      const std::function<void(std::int64_t done)>& on_progress);

/// One channel's analysis of variance.
struct ChannelVariability {
  bool is_constant = false;          ///< all pixels are equal: F and log10 p are 0
  double f = 0;                      ///< variance between classes over that within; may be infinite
  std::int64_t between_degrees = 0;  ///< classes - 1
  std::int64_t within_degrees = 0;   ///< pixels - classes
  double log10_p = 0;
  double eta_squared = 0;  ///< share of the pixels' variance that the class explains, 0 to 1
};

/// How much classes differ. A test only says whether they differ at all, as with millions of pixels
/// they nearly always do.
enum class EffectSize { kNegligible, kSmall, kMedium, kLarge };

/// Returns the size of an effect: small from an eta^2 of 0.01 on, medium from 0.06, large from 0.14.
///
/// Source: Cohen 1988, "Statistical Power Analysis for the Behavioral Sciences", Section 8.2.3.
EffectSize effect_size(double eta_squared);

/// Whether images differ more between classes than within: a one-way analysis of variance of each
/// channel's pixels, as in Lupo Pasini et al., "Distributed DC-CGAN".
struct Variability {
  std::vector<std::int64_t> images_of_label;
  std::vector<ChannelVariability> channels;
};

/// sums: of all ranks, see class_sums(). Labels without images are not classes.
/// Throws: DataError for fewer than two classes.
Variability variability(const at::Tensor& sums);

}  // namespace ganscale::data
