#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "augment/augment_config.h"
#include "comm/group.h"
#include "tensors/named_tensors.h"

namespace ganscale::augment {

/// What a run does to images before the discriminator sees them, and the state of it.
class Augmentation {
 public:
  /// device: where images and scores are.
  Augmentation(const AugmentConfig& config, at::Device device);

  /// Augments images for one use, differentiable in them as often as needed; float16 and bfloat16
  /// become float32.
  at::Tensor operator()(const at::Tensor& images, const ImageRandom& draws, Use use) const;

  /// Counts the signs of D's scores of this rank's reals, [N], for adapt().
  void observe_reals(const at::Tensor& logits);

  /// Ends a step: adds up what all ranks observed and, every interval_steps steps, moves p. Every
  /// rank calls it; without adaptation it does nothing.
  void adapt(comm::Group& group, std::int64_t step);

  /// Returns the probability of ADA's transformations, if that is the method.
  std::optional<double> p() const;

  /// Returns what a checkpoint keeps: live tensors, none without adaptation.
  NamedTensors state() const;

 private:
  AugmentConfig config_;
  at::Tensor p_;          ///< float64 scalar on the host
  at::Tensor observed_;   ///< float64 [2], sum and number of the signs since p last moved
  at::Tensor this_step_;  ///< the same of this step and rank
};

}  // namespace ganscale::augment
