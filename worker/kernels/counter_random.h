#pragma once

#include <ATen/core/Tensor.h>

#include "base/random.h"

/// Random tensors whose numbers belong to images, not to a generator's hidden state (see
/// base/random.h).
///
/// The first dimension of every result is the batch: row j holds the numbers of image first_image +
/// j * image_stride of the given stream and site. The random bits are the same on every device.
namespace ganscale::kernels {

/// Returns standard normal numbers (Box-Muller), of options' dtype and device.
at::Tensor random_normal(const ImageRandom& images, Stream stream, std::uint32_t site,
                         at::IntArrayRef shape, const at::TensorOptions& options);

/// Returns uniform numbers in [0, 1).
at::Tensor random_uniform(const ImageRandom& images, Stream stream, std::uint32_t site,
                          at::IntArrayRef shape, const at::TensorOptions& options);

/// Returns what dropout multiplies by: 1 / (1 - p) with probability 1 - p, else 0. p in [0, 1).
at::Tensor random_dropout_mask(const ImageRandom& images, Stream stream, std::uint32_t site,
                               double p, at::IntArrayRef shape, const at::TensorOptions& options);

/// Hands out the sites of one forward pass in the order of the draws, so that no two layers share
/// numbers.
class RandomDraws {
 public:
  RandomDraws(ImageRandom images, Stream stream) : images_(images), stream_(stream) {}

  at::Tensor normal(at::IntArrayRef shape, const at::TensorOptions& options) {
    return random_normal(images_, stream_, next_site_++, shape, options);
  }
  at::Tensor uniform(at::IntArrayRef shape, const at::TensorOptions& options) {
    return random_uniform(images_, stream_, next_site_++, shape, options);
  }
  at::Tensor dropout_mask(double p, at::IntArrayRef shape, const at::TensorOptions& options) {
    return random_dropout_mask(images_, stream_, next_site_++, p, shape, options);
  }

 private:
  ImageRandom images_;
  Stream stream_;
  std::uint32_t next_site_ = 0;
};

}  // namespace ganscale::kernels
