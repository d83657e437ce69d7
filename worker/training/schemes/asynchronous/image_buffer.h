#pragma once

#include <deque>

#include "training/phases/phase.h"

namespace ganscale::training {

/// The fakes that the generator's ranks made for a step of a discriminator's rank.
struct FakeBatch {
  std::int64_t step = 0;
  Fakes fakes;
};

/// The fakes that a discriminator's rank has received and not used: first in, first out, each used
/// once, in the step for which it was made.
class ImageBuffer {
 public:
  /// next_step: of the first batch. Holds at most max_staleness + 1 batches.
  ImageBuffer(std::int64_t next_step, std::int64_t max_staleness)
      : next_step_(next_step), max_staleness_(max_staleness) {}

  bool empty() const { return batches_.empty(); }
  /// Adds the batch of the step after the last one.
  void add(FakeBatch batch);
  /// Removes the oldest batch.
  FakeBatch take();
  /// Returns how many batches are newer than the one that was taken last: its age in steps.
  std::int64_t newer_batches() const { return static_cast<std::int64_t>(batches_.size()); }

 private:
  std::int64_t next_step_;
  std::int64_t max_staleness_;
  std::deque<FakeBatch> batches_;
};

}  // namespace ganscale::training
