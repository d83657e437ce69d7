#include "cli/images/style_mixing.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "report/media/image_grid.h"

namespace ganscale::cli {
namespace {

constexpr std::int64_t kCoarseLayers = 7;

/// Returns the layers whose styles come from the columns.
at::Tensor mixed_layers(const std::string& text, std::int64_t layer_count) {
  // With its last layer as well, a small model would just show the images of the columns.
  if (text.empty()) return at::arange(std::min(kCoarseLayers, layer_count - 1));
  const auto layers = parse_numbers("--mix-layers", text);
  for (const auto layer : layers) {
    if (layer < layer_count) continue;
    throw UsageError("--mix-layers: the layers of this model are 0-" +
                     std::to_string(layer_count - 1) + ": " + std::to_string(layer));
  }
  return at::tensor(layers);
}

}  // namespace

void write_style_mixing(const ImageSampler& sampler, const StyleMixing& mixing,
                        const std::filesystem::path& file) {
  sampler.require_styles("--mix-rows");
  const auto rows = sampler.styles(mixing.rows);
  const auto columns = sampler.styles(mixing.columns);
  const auto layers = mixed_layers(mixing.layers, rows.size(1)).to(rows.device());
  const auto first_row = sampler.from_styles(columns);
  std::vector<at::Tensor> images = {at::ones_like(first_row.narrow(0, 0, 1)), first_row};
  for (std::int64_t row = 0; row < rows.size(0); ++row) {
    const auto own = rows.narrow(0, row, 1);
    const auto mixed =
        own.expand_as(columns).index_copy(1, layers, columns.index_select(1, layers));
    images.push_back(sampler.from_styles(own));
    images.push_back(sampler.from_styles(mixed));
  }
  const report::GridLayout layout{.columns = static_cast<int>(columns.size(0)) + 1,
                                  .scale = mixing.scale};
  report::write_image_grid(at::cat(images), layout, file);
}

}  // namespace ganscale::cli
