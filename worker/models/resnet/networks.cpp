#include "models/resnet/networks.h"

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/upsample_nearest2d.h>

#include "base/error.h"

namespace ganscale::models {
namespace {

constexpr int kChannels = 64;
constexpr int kFirstSize = 4;
constexpr int kResolution = 32;
constexpr int kResnetLabelWidth = 10;
constexpr double kNormEpsilon = 1e-5;
constexpr double kNormMomentum = 0.1;

template <class Layer, class... Arguments>
std::shared_ptr<Layer> add(torch::nn::Module& network, const std::string& name,
                           Arguments&&... arguments) {
  return network.register_module(name,
                                 std::make_shared<Layer>(std::forward<Arguments>(arguments)...));
}

at::Tensor halved(const at::Tensor& x) { return at::avg_pool2d(x, {2, 2}); }

}  // namespace

UpResidual::UpResidual(int channels, const BatchNormOptions& norm)
    : first_norm_(add<BatchNorm>(*this, "norm_0", channels, kNormEpsilon, kNormMomentum, norm)),
      second_norm_(add<BatchNorm>(*this, "norm_1", channels, kNormEpsilon, kNormMomentum, norm)),
      first_(add<UpsampledConvolution>(*this, "conv_0", channels, channels)),
      second_(add<Convolution>(*this, "conv_1", channels, channels)) {}

at::Tensor UpResidual::forward(const at::Tensor& x) const {
  const auto large = first_->forward(first_norm_->forward(x).relu());
  const auto shortcut =
      at::upsample_nearest2d(x, at::OptionalIntArrayRef(), at::ArrayRef<double>{2.0, 2.0});
  return second_->forward(second_norm_->forward(large).relu()).add(shortcut);
}

DownResidual::DownResidual(int channels, bool halve)
    : halve_(halve),
      first_(add<Convolution>(*this, "conv_0", channels, channels)),
      second_(add<Convolution>(*this, "conv_1", channels, channels)) {}

at::Tensor DownResidual::forward(const at::Tensor& x) const {
  const auto residual = second_->forward(first_->forward(x.relu()).relu());
  return halve_ ? halved(residual.add(x)) : residual.add(x);
}

ResnetGenerator::ResnetGenerator(ImageShape image, int z_dim, int label_count,
                                 const BatchNormOptions& norm)
    : Generator(image, z_dim, label_count) {
  check(image.resolution == kResolution, "the small ResNet makes images of 32");
  if (label_count > 0) {
    label_embedding_ = add<Embedding>(*this, "label_embedding", label_count, kResnetLabelWidth);
  }
  const int in_features = z_dim + (label_count > 0 ? kResnetLabelWidth : 0);
  first_ = add<Linear>(*this, "first", in_features, kChannels * kFirstSize * kFirstSize);
  for (int i = 0; i < 3; ++i) {
    blocks_.push_back(add<UpResidual>(*this, "block_" + std::to_string(i), kChannels, norm));
  }
  norm_ = add<BatchNorm>(*this, "norm", kChannels, kNormEpsilon, kNormMomentum, norm);
  to_image_ = add<Convolution>(*this, "to_image", kChannels, image.channels);
}

// Traced by models/torchscript: use no tensor sizes other than -1.
at::Tensor ResnetGenerator::forward(const at::Tensor& z, const at::Tensor& labels,
                                    kernels::RandomStream& /*draws*/) {
  const auto code = label_embedding_ ? at::cat({z, label_embedding_->forward(labels)}, 1) : z;
  auto x = first_->forward(code).view({-1, kChannels, kFirstSize, kFirstSize});
  for (const auto& block : blocks_) x = block->forward(x);
  return to_image_->forward(norm_->forward(x).relu()).tanh();
}

ResnetCritic::ResnetCritic(ImageShape image, int label_count) : Discriminator(image, label_count) {
  check(image.resolution == kResolution, "the small ResNet takes images of 32");
  from_image_ = add<Convolution>(*this, "from_image", image.channels, kChannels);
  for (int i = 0; i < 4; ++i) {
    const bool halve = i < 2;
    blocks_.push_back(add<DownResidual>(*this, "block_" + std::to_string(i), kChannels, halve));
  }
  last_ = add<Linear>(*this, "last", kChannels, 1);
  if (label_count > 0) {
    label_projection_ = add<Embedding>(*this, "label_projection", label_count, kChannels);
  }
}

at::Tensor ResnetCritic::forward(const at::Tensor& images, const at::Tensor& labels,
                                 kernels::RandomStream& /*draws*/) {
  auto x = from_image_->forward(images);
  for (const auto& block : blocks_) x = block->forward(x);
  const auto features = x.relu().mean({2, 3});
  const auto logits = last_->forward(features).squeeze(1);
  if (!label_projection_) return logits;
  return logits.add(label_projection_->forward(labels).mul(features).sum(1));
}

}  // namespace ganscale::models
