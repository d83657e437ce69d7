#pragma once

#include <memory>

#include "data/loader/prefetcher.h"
#include "training/phases/phase.h"
#include "training/phases/step_result.h"
#include "training/run/dataset.h"
#include "training/run/progress.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// The source of images for the steps of one rank.
class StepInputs {
 public:
  virtual ~StepInputs() = default;

  /// Returns the input of the step after `progress`; waits for it.
  virtual StepInput next(const Progress& progress) = 0;
  /// Returns what loads the images; null if none are loaded.
  virtual const data::Prefetcher* loader() const { return nullptr; }
};

/// This rank's part of the dataset's batches, in the order of the plan.
class LoadedInputs : public StepInputs {
 public:
  /// Starts to read at the progress' place in the stream.
  ///
  /// device: of the discriminator: the images go there.
  /// group:  the ranks that share a batch.
  /// All but progress and device are borrowed. Throws as Prefetcher.
  LoadedInputs(const RunConfig& config, const Dataset& dataset, at::Device device,
               const comm::Group& group, const Progress& progress);

  StepInput next(const Progress& progress) override;
  const data::Prefetcher* loader() const override { return &batches_; }

 private:
  const TrainingConfig& training_;
  at::Device device_;
  const comm::Group& group_;
  std::unique_ptr<data::Source> cache_;  ///< null if none is configured
  data::Prefetcher batches_;
};

/// The labels of this rank's part of the batches and no images, for a rank that trains the
/// generator only. Other ranks load the images, in parts of their own.
class LabelInputs : public StepInputs {
 public:
  /// group:   the ranks that share a batch.
  /// loaders: the number of ranks that load its images: fixed shards are theirs.
  /// All but device is borrowed.
  LabelInputs(const RunConfig& config, const Dataset& dataset, at::Device device,
              const comm::Group& group, int loaders);

  /// Throws DataError for a label that the networks do not have.
  StepInput next(const Progress& progress) override;

 private:
  at::Tensor labels_at(std::int64_t stream_position) const;

  const RunConfig& config_;
  const data::Source& source_;
  at::Device device_;
  const comm::Group& group_;
  const int loaders_;
  const data::ShardPlan plan_;
};

/// Returns what a rank reads of the loader of its images; nothing if none are loaded.
Readings loader_readings(const StepInputs& inputs);

}  // namespace ganscale::training
