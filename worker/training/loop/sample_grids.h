#pragma once

#include "data/image/decode.h"
#include "data/image/source.h"
#include "training/replica/replica.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// Grids of images to watch a training: one of reals, and at intervals one of fakes from fixed
/// latents by the moving average of the generator. A conditional run has a row per label, in turn.
class SampleGrids {
 public:
  SampleGrids(const TrainingConfig& config, RunFolder folder)
      : config_(config), folder_(std::move(folder)) {}

  /// Writes reals.png: the first images of each label, or of the dataset. Rows of labels without
  /// records are white. Throws DataError with file, record and offset; OutputError.
  void write_reals(const data::Source& source, const data::DecodePolicy& policy,
                   std::int64_t label_count) const;
  /// Writes the fakes after `images_seen` images and returns them, [N, C, H, W] on the CPU.
  at::Tensor write_fakes(models::Generator& generator, std::int64_t images_seen) const;

 private:
  std::int64_t image_count() const {
    return std::int64_t{config_.grid_rows} * config_.grid_columns;
  }

  const TrainingConfig& config_;
  RunFolder folder_;
};

}  // namespace ganscale::training
