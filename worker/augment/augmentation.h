#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "augment/augment_config.h"
#include "comm/group/group.h"
#include "tensors/named_tensors.h"

namespace ganscale::augment {

/// The augmentation of a run and its state.
class Augmentation {
 public:
  /// device: of images and scores.
  Augmentation(const AugmentConfig& config, at::Device device);

  /// Blurs images as a blur has faded so far and augments them for one use; differentiable in them as
  /// often as needed.
  /// images: float32 or float64.
  at::Tensor operator()(const at::Tensor& images, const ImageRandom& draws, Use use) const;

  /// Sets p and the blur as schedules have them for a step after `images_seen` images. Call it before the step's
  /// first use of the augmentation.
  void begin_step(std::int64_t images_seen);

  /// Counts the signs of D's scores of this rank's reals, [N], for adapt().
  void observe_reals(const at::Tensor& logits);

  /// Ends a step: sums up what all ranks observed and updates p every interval_steps steps. All
  /// ranks call it. Does nothing without adaptation.
  void adapt(comm::Group& group, std::int64_t step);

  /// Returns the probability of ADA's transformations, if that is the method.
  std::optional<double> p() const;

  /// Returns what a checkpoint keeps: live tensors, none without adaptation.
  NamedTensors state() const;

 private:
  AugmentConfig config_;
  double blur_sigma_ = 0;
  at::Tensor p_;          ///< float64 scalar on the host
  at::Tensor observed_;   ///< float64 [2], sum and number of the signs since p last moved
  at::Tensor this_step_;  ///< the same of this step and rank
};

}  // namespace ganscale::augment
