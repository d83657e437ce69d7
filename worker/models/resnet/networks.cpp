#include "models/resnet/networks.h"

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/upsample_nearest2d.h>

#include "models/contract/submodules.h"

namespace ganscale::models::resnet {
namespace {

constexpr int kPointwise = 1;  // kernel of a shortcut

std::shared_ptr<Convolution> add_shortcut(torch::nn::Module& block, int in_channels, int channels) {
  return add<Convolution>(block, "shortcut", in_channels, channels, /*stride=*/1, kPointwise);
}

at::Tensor doubled(const at::Tensor& x) {
  return at::upsample_nearest2d(x, at::OptionalIntArrayRef(), at::ArrayRef<double>{2.0, 2.0});
}

}  // namespace

UpResidual::UpResidual(const Shape& shape, const BatchNormRule& norm)
    : first_norm_(add<BatchNorm>(*this, "norm_0", shape.in_channels, shape.label_count, norm)),
      second_norm_(add<BatchNorm>(*this, "norm_1", shape.channels, shape.label_count, norm)),
      first_(add<UpsampledConvolution>(*this, "conv_0", shape.in_channels, shape.channels)),
      second_(add<Convolution>(*this, "conv_1", shape.channels, shape.channels)) {
  if (!shape.has_learned_shortcut) return;
  shortcut_ = add_shortcut(*this, shape.in_channels, shape.channels);
}

at::Tensor UpResidual::forward(const at::Tensor& x, const at::Tensor& labels) const {
  const auto large = first_->forward(first_norm_->forward(x, labels).relu());
  // A 1x1 convolution commutes with copies of pixels.
  const auto shortcut = doubled(shortcut_ ? shortcut_->forward(x) : x);
  return second_->forward(second_norm_->forward(large, labels).relu()).add(shortcut);
}

DownResidual::DownResidual(const Shape& shape)
    : halves_(shape.halves),
      takes_image_(shape.takes_image),
      first_(add<Convolution>(*this, "conv_0", shape.in_channels, shape.channels)),
      second_(add<Convolution>(*this, "conv_1", shape.channels, shape.channels)) {
  const bool changes = shape.halves || shape.in_channels != shape.channels;
  if (!shape.has_learned_shortcut || !changes) return;
  shortcut_ = add_shortcut(*this, shape.in_channels, shape.channels);
}

at::Tensor DownResidual::forward(const at::Tensor& x) const {
  const auto residual = second_->forward(first_->forward(takes_image_ ? x : x.relu()).relu());
  if (!halves_) return residual.add(shortcut_ ? shortcut_->forward(x) : x);
  if (!shortcut_) return at::avg_pool2d(residual.add(x), {2, 2});
  // A 1x1 convolution commutes with means over pixels.
  return at::avg_pool2d(residual, {2, 2}).add(shortcut_->forward(at::avg_pool2d(x, {2, 2})));
}

ResnetGenerator::ResnetGenerator(int image_channels, const Table& table, const Options& options)
    : Generator({image_channels, table.resolution}, options.z_dim, options.label_count),
      low_precision_type_(options.low_precision_type),
      first_width_(table.first_width) {
  int in_features = options.z_dim;
  if (options.label_count > 0 && options.label_entry == LabelEntry::kLatent) {
    label_embedding_ =
        add<Embedding>(*this, "label_embedding", options.label_count, options.label_dim);
    in_features += options.label_dim;
  }
  const int norm_labels = label_embedding_ ? 0 : options.label_count;
  const BatchNormRule norm{.options = options.norm};
  first_ = add<Linear>(*this, "first", in_features, first_width_ * kFirstSize * kFirstSize);
  int width = first_width_;
  for (const int next : table.up) {
    const UpResidual::Shape shape{width, next, norm_labels, table.has_learned_shortcuts};
    blocks_.push_back(
        add<UpResidual>(*this, "block_" + std::to_string(blocks_.size()), shape, norm));
    width = next;
  }
  norm_ = add<BatchNorm>(*this, "norm", width, norm_labels, norm);
  to_image_ = add<Convolution>(*this, "to_image", width, image_channels);
}

// Traced by models/torchscript: use no tensor sizes other than -1.
at::Tensor ResnetGenerator::forward(const at::Tensor& z, const at::Tensor& labels,
                                    RandomStream& /*draws*/) {
  const auto code = label_embedding_ ? at::cat({z, label_embedding_->forward(labels)}, 1) : z;
  auto x = first_->forward(code).view({-1, first_width_, kFirstSize, kFirstSize});
  const auto dtype = x.scalar_type();
  x = laid_out(x, low_precision_type_.value_or(dtype), layout());
  for (const auto& block : blocks_) x = block->forward(x, labels);
  x = norm_->forward(x, labels).relu();
  return to_image_->forward(laid_out(x, dtype, layout())).tanh();
}

NamedTensors ResnetGenerator::filters() {
  NamedTensors filters = Generator::filters();
  std::erase_if(filters,
                [](const auto& item) { return item.first.find("norm") != std::string::npos; });
  return filters;
}

ResnetCritic::ResnetCritic(int image_channels, const Table& table, const Options& options)
    : Discriminator({image_channels, table.resolution}, options.label_count),
      options_(options),
      sums_pixels_(table.sums_pixels) {
  int width = image_channels;
  if (!table.has_learned_shortcuts) {
    width = table.down.front().width;
    from_image_ = add<Convolution>(*this, "from_image", image_channels, width);
  }
  for (const auto& [next, halves] : table.down) {
    const bool takes_image = blocks_.empty() && !from_image_;
    const DownResidual::Shape shape{width, next, halves, takes_image, table.has_learned_shortcuts};
    blocks_.push_back(add<DownResidual>(*this, "block_" + std::to_string(blocks_.size()), shape));
    width = next;
  }
  last_ = add<Linear>(*this, "last", width, 1);
  if (options.label_count == 0) return;
  label_projection_ = add<Embedding>(*this, "label_projection", options.label_count, width);
}

at::Tensor ResnetCritic::forward(const at::Tensor& images, const at::Tensor& labels,
                                 RandomStream& /*draws*/) {
  const auto dtype = images.scalar_type();
  auto x = laid_out(images, options_.low_precision_type.value_or(dtype), layout());
  if (from_image_) x = from_image_->forward(x);
  for (const auto& block : blocks_) x = block->forward(x);
  const auto active = x.relu();
  const auto features = sums_pixels_ ? active.sum({2, 3}, /*keepdim=*/false, dtype)
                                     : active.mean({2, 3}, /*keepdim=*/false, dtype);
  const auto logits = last_->forward(features).squeeze(1);
  if (!label_projection_) return logits;
  return logits.add(label_projection_->forward(labels).mul(features).sum(1));
}

}  // namespace ganscale::models::resnet
