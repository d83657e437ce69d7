#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/images/number_list.h"
#include "models/contract/image_motion.h"
#include "models/contract/style_generator.h"
#include "training/generators/trained_generator.h"

namespace ganscale::cli {

/// Stands for labels with the frequency of those in the data.
inline constexpr std::string_view kAsInData = "data";

/// Which images to make: seeds, and either no labels or one per seed.
struct SampleSpec {
  std::vector<std::int64_t> seeds;
  std::vector<std::int64_t> labels;
};

/// Throws UsageError, which says what to load instead, for a bundle of labels whose model has
/// styles: its generators have them, but the bundle has not.
///
/// option: what needs styles, for the error.
void refuse_bundle_with_styles(const std::string& option,
                               const training::TrainedGenerator& trained);

/// Returns how to truncate what a generator samples: its styles, or its latents with psi as the
/// threshold, as the model has it.
///
/// truncation: none: not at all.
/// Throws:     UsageError for a model that has neither, and for options that its kind has not.
models::SampleTruncation truncation_of(const training::TrainedGenerator& trained,
                                       const std::optional<models::Truncation>& truncation);

/// Makes images with a trained generator, on its device. Seed i is the latent of image i of the
/// run's sample grids.
class ImageSampler {
 public:
  /// truncation: see truncation_of(), which may throw.
  ImageSampler(const training::TrainedGenerator& trained,
               const std::optional<models::Truncation>& truncation);

  /// Assigns labels to the seeds in turn: those in `text` (numbers, ranges and names, such as
  /// "0-3,cat"; digits are always a number), or all labels of the model if it is empty; none for an
  /// unconditional model. If `text` is "data", each seed draws its label with the frequency of the
  /// labels in the data. Throws UsageError.
  SampleSpec specify(std::vector<std::int64_t> seeds, const std::string& text) const;

  /// Returns the labels of a text, as specify() takes them, but not "data". Throws UsageError, also
  /// for an unconditional model.
  std::vector<std::int64_t> labels(const std::string& text) const;

  /// Returns the latents of the seeds, [N, z_dim], truncated if the model does that.
  at::Tensor latents(const std::vector<std::int64_t>& seeds) const;
  /// Returns images on the host, [N, C, H, W]. labels: [N] int64; undefined without labels.
  at::Tensor from_latents(const at::Tensor& z, const at::Tensor& labels) const;
  at::Tensor sample(const SampleSpec& spec) const;

  /// Returns the threshold of truncated latents, if they are.
  std::optional<double> latent_threshold() const { return truncation_.latent_threshold; }
  /// Returns whether the model is conditional.
  bool has_labels() const { return trained_.generator->label_count() > 0; }
  /// Returns whether the model has styles between latents and images.
  bool has_styles() const { return style_ != nullptr; }
  /// Throws UsageError, which names the option that needs styles, for a model without them.
  void require_styles(const std::string& option) const;
  /// Turns and moves all images from now on. Throws UsageError for a model that can't.
  void move_images(const models::ImageMotion& motion) const;
  /// Returns truncated styles, [N, w_count, w_dim].
  at::Tensor styles(const SampleSpec& spec) const;
  /// Returns images of styles on the host, [N, C, H, W].
  at::Tensor from_styles(const at::Tensor& w) const;

 private:
  std::vector<std::int64_t> draw_labels(const std::vector<std::int64_t>& seeds) const;
  at::Tensor labels_of(const SampleSpec& spec) const;

  const training::TrainedGenerator& trained_;
  models::StyleGenerator* style_;  ///< null for a model without styles
  models::SampleTruncation truncation_;
};

}  // namespace ganscale::cli
