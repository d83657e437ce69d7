#pragma once

#include "data/image/decode.h"
#include "data/sources/source.h"
#include "training/phases/replica.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// The images that people look at while a run trains: one grid of reals, and at intervals the
/// same latents through the average of the generator. A conditional run has a row per label, in
/// turn.
class SampleGrids {
 public:
  SampleGrids(const TrainingConfig& config, RunFolder folder)
      : config_(config), folder_(std::move(folder)) {}

  /// Writes reals.png: the first images of each label, or of the data set; the rows of a label
  /// without records stay white. Throws DataError with file, record and offset; OutputError.
  void write_reals(const data::Source& source, const data::DecodePolicy& policy,
                   std::int64_t label_count) const;
  /// Writes the fakes after `images_seen` images; returns them, [N, C, H, W] on the CPU.
  at::Tensor write_fakes(models::Generator& generator, std::int64_t images_seen) const;

 private:
  std::int64_t image_count() const {
    return std::int64_t{config_.grid_rows} * config_.grid_columns;
  }

  const TrainingConfig& config_;
  RunFolder folder_;
};

}  // namespace ganscale::training
