#include "models/dcgan/networks.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/relu.h>

#include <algorithm>
#include <array>

#include "models/contract/submodules.h"
#include "models/layers/convolutional_config.h"

namespace ganscale::models {
namespace {

constexpr double kFirstEpsilon = 1e-5;
constexpr double kEpsilon = 0.8;
constexpr double kMomentum = 0.1;
constexpr double kSlope = 0.2;
constexpr double kDropout = 0.25;

// Drawn in memory order, so that the multiplication needs no change of layout.
at::Tensor dropout_mask(const at::Tensor& x, Dropout dropout, RandomStream& random) {
  const bool of_channels = dropout == Dropout::kChannels;
  const std::array<std::int64_t, 4> shape = {x.size(0), of_channels ? 1 : x.size(2),
                                             of_channels ? 1 : x.size(3), x.size(1)};
  return random.dropout_mask(kDropout, shape, x.options()).permute({0, 3, 1, 2});
}

/// Returns the height and width of the first features of G.
Resolution first_size(const Resolution& images) {
  return images.scaled_to(images.shorter_side() / 4);
}

}  // namespace

DcganGenerator::DcganGenerator(ImageShape image, const DcganOptions& options)
    : Generator(image, options.z_dim, options.label_count),
      low_precision_type_(options.low_precision_type),
      first_width_(scaled_width(128, options.channels)) {
  const Resolution first = first_size(image.resolution);
  int in_features = options.z_dim;
  if (options.label_count > 0) {
    label_embedding_ =
        add<Embedding>(*this, "label_embedding", options.label_count, options.label_dim);
    in_features += options.label_dim;
  }
  linear_ = add<Linear>(*add<List>(*this, "l1", "l1"), "0", in_features,
                        static_cast<int>(first_width_ * first.pixels()));

  const auto& norm = options.norm;
  const int last_width = scaled_width(64, options.channels);
  const auto blocks = add<List>(*this, "conv_blocks", "conv_blocks");
  first_norm_ = add<BatchNorm>(*blocks, "0", first_width_, kFirstEpsilon, kMomentum, norm);
  upsampled_.push_back(add<UpsampledConvolution>(*blocks, "2", first_width_, first_width_));
  norms_.push_back(add<BatchNorm>(*blocks, "3", first_width_, kEpsilon, kMomentum, norm));
  upsampled_.push_back(add<UpsampledConvolution>(*blocks, "6", first_width_, last_width));
  norms_.push_back(add<BatchNorm>(*blocks, "7", last_width, kEpsilon, kMomentum, norm));
  to_image_ = add<Convolution>(*blocks, "9", last_width, image.channels);
}

// Traced by models/torchscript: use no tensor sizes other than -1.
at::Tensor DcganGenerator::forward(const at::Tensor& z, const at::Tensor& labels,
                                   RandomStream& /*draws*/) {
  const auto code = label_embedding_ ? at::cat({z, label_embedding_->forward(labels)}, 1) : z;
  const auto [height, width] = first_size(image().resolution);
  auto x = linear_->forward(code).relu_().view({-1, first_width_, height, width});
  const auto dtype = x.scalar_type();
  x = first_norm_->forward(laid_out(x, low_precision_type_.value_or(dtype), layout()));
  for (std::size_t i = 0; i < upsampled_.size(); ++i) {
    x = norms_[i]->forward(upsampled_[i]->forward(x));
    x = at::leaky_relu_(x, kSlope);
  }
  return to_image_->forward(laid_out(x, dtype, layout())).tanh_();
}

DcganDiscriminator::DcganDiscriminator(ImageShape image, const DcganOptions& options)
    : Discriminator(image, options.label_count),
      low_precision_type_(options.low_precision_type),
      dropout_(options.dropout) {
  const auto width = [&](int plain) { return scaled_width(plain, options.channels); };
  const std::array<int, 5> widths = {image.channels, width(16), width(32), width(64), width(128)};
  const int shorter = image.resolution.shorter_side();
  const int last_side = std::max(shorter / 16, kLastSize);
  const int last_stride = shorter / 8 / last_side;
  const auto list = add<List>(*this, "model", "model");
  int place = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const int stride = i == 3 ? last_stride : 2;
    convolutions_.push_back(
        add<Convolution>(*list, std::to_string(place), widths[i], widths[i + 1], stride));
    place += 3;  // convolution, leaky ReLU, dropout
    if (i == 0) continue;
    norms_.push_back(add<BatchNorm>(*list, std::to_string(place), widths[i + 1], kEpsilon,
                                    kMomentum, options.norm));
    place += 1;
  }
  const auto feature_count =
      static_cast<int>(widths.back() * image.resolution.scaled_to(last_side).pixels());
  linear_ = add<Linear>(*add<List>(*this, "adv_layer", "adv_layer"), "0", feature_count, 1);
  if (options.label_count > 0) {
    label_projection_ =
        add<Embedding>(*this, "label_projection", options.label_count, feature_count);
  }
}

at::Tensor DcganDiscriminator::forward(const at::Tensor& images, const at::Tensor& labels,
                                       RandomStream& random) {
  const auto found = features(images, random);
  const auto logits = linear_->forward(found).squeeze(1);
  if (!label_projection_) return logits;
  return logits.add(label_projection_->forward(labels).mul(found).sum(1));
}

at::Tensor DcganDiscriminator::features(const at::Tensor& images, RandomStream& random) {
  const auto dtype = images.scalar_type();
  auto x = laid_out(images, low_precision_type_.value_or(dtype), layout());
  for (std::size_t i = 0; i < convolutions_.size(); ++i) {
    x = convolutions_[i]->forward(x);
    // Dropout before or after the leaky ReLU is the same; before it, both can be in place.
    if (is_training()) x = x.mul_(dropout_mask(x, dropout_, random));
    x = at::leaky_relu_(x, kSlope);
    if (i > 0) x = norms_[i - 1]->forward(x);
  }
  return x.flatten(1).to(dtype);
}

}  // namespace ganscale::models
