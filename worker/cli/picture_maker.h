#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/number_list.h"
#include "models/style_generator.h"
#include "training/generators/trained_generator.h"

namespace ganscale::cli {

/// Which pictures: seeds, and no labels or one a seed.
struct Order {
  std::vector<std::int64_t> seeds;
  std::vector<std::int64_t> labels;
};

/// Makes pictures with a trained generator. Seed i is the latent of image i of the run's sample
/// grids.
class PictureMaker {
 public:
  /// truncation: none for a model without styles. Throws UsageError where it has none.
  PictureMaker(const training::TrainedGenerator& trained,
               std::optional<models::Truncation> truncation);

  /// Deals labels to the seeds in turn: those of `text`, all of the model if it is empty, none of
  /// an unconditional model. For the text "data" each seed draws its own label, as often as it
  /// comes in the data. Throws UsageError.
  Order order(std::vector<std::int64_t> seeds, const std::string& text) const;

  /// Returns the latents of the seeds, [N, z_dim].
  at::Tensor latents(const std::vector<std::int64_t>& seeds) const;
  /// Returns pictures, [N, C, H, W]. labels: [N] int64; undefined without labels.
  at::Tensor of_latents(const at::Tensor& z, const at::Tensor& labels) const;
  at::Tensor of_order(const Order& order) const;

  /// Whether the model has styles between latents and pictures.
  bool has_styles() const { return style_ != nullptr; }
  /// Returns the truncated styles of an order, [N, w_count, w_dim].
  at::Tensor styles(const Order& order) const;
  /// Returns pictures of styles, [N, C, H, W].
  at::Tensor of_styles(const at::Tensor& w) const;

 private:
  std::vector<std::int64_t> draw_labels(const std::vector<std::int64_t>& seeds) const;
  at::Tensor labels_of(const Order& order) const;

  const training::TrainedGenerator& trained_;
  models::StyleGenerator* style_;  ///< null for a model without styles
  models::Truncation truncation_;
};

}  // namespace ganscale::cli
