#pragma once

#include <torch/nn/module.h>

#include "base/error.h"
#include "kernels/counter_random/counter_random.h"
#include "models/contract/layout.h"
#include "tensors/image_shape.h"
#include "tensors/named_tensors.h"

namespace ganscale::models {

using kernels::RandomStream;

class StyleGenerator;

/// Generates images from latents. A conditional generator (label_count > 0) also takes labels.
class Generator : public torch::nn::Module, public LaidOut {
 public:
  Generator(ImageShape image, int z_dim, int label_count)
      : image_(image), z_dim_(z_dim), label_count_(label_count) {}

  /// z:       [N, z_dim].
  /// labels:  [N] int64 in [0, label_count); undefined for an unconditional network.
  /// random:  the noise of this pass.
  /// Returns: [N, C, H, W] in [-1, 1] (a network without a final tanh may pass these bounds a
  /// little).
  virtual at::Tensor forward(const at::Tensor& z, const at::Tensor& labels,
                             RandomStream& random) = 0;

  /// Computes forward() of eval mode by LibTorch's own operators only, without the number of images
  /// as a constant, for a tracer to record.
  virtual at::Tensor traceable_forward(const at::Tensor& z, const at::Tensor& labels) {
    RandomStream unused({}, Stream::kSamples);
    return forward(z, labels, unused);
  }

  /// Returns this generator if it has styles, else null.
  virtual StyleGenerator* as_style_generator() { return nullptr; }

  /// Prepares what forward passes compute with that depends only on parameters, and that they keep
  /// until these change. A forward pass does it by itself if necessary; the replay of a captured
  /// one can't, and reads what was last prepared.
  virtual void prepare_weights() {}

  /// Returns the state other than parameters that each rank updates on its own: running statistics,
  /// which are averaged over the ranks to keep the replicas identical.
  virtual NamedTensors moving_statistics() { return ganscale::named_buffers(*this); }

  /// Returns the parameters [out, ...] whose rows orthogonal regularization sees as filters.
  virtual NamedTensors filters() {
    NamedTensors filters = ganscale::named_parameters(*this);
    std::erase_if(filters, [](const auto& item) { return item.second.dim() < 2; });
    return filters;
  }

  ImageShape image() const { return image_; }
  int z_dim() const { return z_dim_; }
  int label_count() const { return label_count_; }

 private:
  ImageShape image_;
  int z_dim_;
  int label_count_;
};

/// What a discriminator's score_batches() is for.
enum class BatchJoining {
  kNone,       ///< there is none
  kForSpeed,   ///< scores as a pass for each batch does, faster on a GPU
  kByDefault,  ///< a pass moves its state (a power iteration), so that one pass is not two
};

/// Scores images: one logit per image, without a final sigmoid.
class Discriminator : public torch::nn::Module, public LaidOut {
 public:
  Discriminator(ImageShape image, int label_count) : image_(image), label_count_(label_count) {}

  /// images:  [N, C, H, W] in [-1, 1].
  /// labels:  as for the generator.
  /// random:  the dropout of this pass.
  /// Returns: [N].
  virtual at::Tensor forward(const at::Tensor& images, const at::Tensor& labels,
                             RandomStream& random) = 0;

  virtual BatchJoining batch_joining() const { return BatchJoining::kNone; }

  /// Scores batches that follow one another in `images`, in one pass: no score depends on the images
  /// of another batch. By default a pass of forward(), in which no image may meet another one.
  ///
  /// images:  [count * N, C, H, W]; labels: [count * N].
  /// Returns: [count * N].
  /// Throws:  Error (kBug) if batch_joining() is kNone.
  virtual at::Tensor score_batches(const at::Tensor& images, const at::Tensor& labels,
                                   int /*count*/, RandomStream& random) {
    check(batch_joining() != BatchJoining::kNone, "this discriminator scores joined batches");
    return forward(images, labels, random);
  }

  /// As for the generator.
  virtual void prepare_weights() {}
  /// As for the generator.
  virtual NamedTensors moving_statistics() { return ganscale::named_buffers(*this); }

  ImageShape image() const { return image_; }
  int label_count() const { return label_count_; }

 private:
  ImageShape image_;
  int label_count_;
};

}  // namespace ganscale::models
