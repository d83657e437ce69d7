#pragma once

#include <ATen/core/Tensor.h>

#include "base/random.h"

/// Random tensors whose numbers belong to images rather than to a generator's state (see
/// base/random.h).
///
/// The first dimension of every result is the batch: row j holds the numbers of image first_image +
/// j * image_stride of the given stream and site. Element e of a row is made of word e mod 4 of
/// block e / 4, whatever the dtype: a float64 draw is the float32 draw with less rounding. The
/// random bits are the same on every device; the normal numbers agree within the rounding of a
/// device's logarithm and cosine. float16 and bfloat16 are rounded from float32.
namespace ganscale::kernels {

/// Returns standard normal numbers, of options' dtype and device.
///
/// Box & Muller 1958: each two words give a radius and an angle, and these two numbers.
at::Tensor random_normal(const ImageRandom& images, Stream stream, std::uint32_t site,
                         at::IntArrayRef shape, const at::TensorOptions& options);

/// Returns uniform numbers in [0, 1), of options' dtype and device.
at::Tensor random_uniform(const ImageRandom& images, Stream stream, std::uint32_t site,
                          at::IntArrayRef shape, const at::TensorOptions& options);

/// Returns uniform labels in [0, label_count): [image_count] int64 on the host.
at::Tensor random_labels(const ImageRandom& images, Stream stream, std::uint32_t site,
                         std::int64_t label_count, std::int64_t image_count);

/// The random numbers of one forward pass: uses the sites in the order of the draws, so that no two
/// layers share numbers.
class RandomStream {
 public:
  /// first_site: for a pass that shares its stream with another one.
  RandomStream(ImageRandom images, Stream stream, std::uint32_t first_site = 0)
      : images_(images), stream_(stream), next_site_(first_site) {}

  at::Tensor normal(at::IntArrayRef shape, const at::TensorOptions& options) {
    return random_normal(images_, stream_, next_site_++, shape, options);
  }
  at::Tensor uniform(at::IntArrayRef shape, const at::TensorOptions& options) {
    return random_uniform(images_, stream_, next_site_++, shape, options);
  }
  /// Returns uniform labels in [0, label_count): [image_count] int64 on the host.
  at::Tensor labels(std::int64_t label_count, std::int64_t image_count) {
    return random_labels(images_, stream_, next_site_++, label_count, image_count);
  }
  /// Returns the site of the next draw, where another stream can continue.
  std::uint32_t next_site() const { return next_site_; }
  /// Returns a dropout mask: 1 / (1 - p) with probability 1 - p, otherwise 0. p in [0, 1).
  at::Tensor dropout_mask(double p, at::IntArrayRef shape, const at::TensorOptions& options);

 private:
  ImageRandom images_;
  Stream stream_;
  std::uint32_t next_site_;
};

}  // namespace ganscale::kernels
