#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "config/section.h"
#include "device/select_device.h"

namespace ganscale::training {

enum class Precision { kFp32, kFp64, kTf32, kBf16, kFp16 };

/// What the ranks' running means (of style vectors, of path lengths) are means of.
enum class RunningMeans {
  kAveraged,  ///< all ranks' images: the replicas stay the same
  kLocal,     ///< each rank's own, as in the reference implementations
};

/// How long, how much at a time and how exactly a run trains: the section `training`.
struct TrainingConfig {
  double total_kimg = 1000;
  std::int64_t batch = 64;  ///< images of one step over all ranks
  std::uint64_t seed = 1000;
  SeedMode seed_mode = SeedMode::kImage;
  Precision precision = Precision::kFp32;
  device::DeviceKind device = device::DeviceKind::kAuto;
  int devices_per_process = 1;  ///< 2: one for the generator, one for the discriminator
  bool cuda_graphs = false;     ///< a GPU repeats each phase by one launch
  int threads = 0;              ///< CPU threads of a rank; 0: this node's cores shared by its ranks
  RunningMeans running_means = RunningMeans::kAveraged;
  double tick_kimg = 4;  ///< how often a tick line and a line of stats.jsonl are written
  double samples_every_kimg = 50;
  int grid_rows = 8;
  int grid_columns = 8;
  std::int64_t max_nonfinite_steps = 10;
  bool tensorboard = false;
  std::string resume_weights;  ///< a checkpoint or run to take the first weights from; empty: none

  std::int64_t total_images() const { return static_cast<std::int64_t>(total_kimg * 1000); }
};

/// Throws ConfigError for impossible values.
TrainingConfig parse_training(config::Section in);

}  // namespace ganscale::training
