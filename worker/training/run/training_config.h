#pragma once

#include <cstdint>
#include <string>

#include "base/enum_names.h"
#include "base/random.h"
#include "config/section.h"
#include "device/select_device.h"

namespace ganscale::training {

enum class Precision { kFp32, kFp64, kTf32, kBf16, kFp16 };

inline constexpr EnumNames<Precision, 5> kPrecisions{{{Precision::kFp32, "fp32"},
                                                      {Precision::kFp64, "fp64"},
                                                      {Precision::kTf32, "tf32"},
                                                      {Precision::kBf16, "bf16"},
                                                      {Precision::kFp16, "fp16"}}};

/// What running means (of style vectors, of path lengths) are computed over.
enum class RunningMeans {
  kAveraged,  ///< the images of all ranks: the replicas stay identical
  kLocal,     ///< each rank's own images, as in the reference implementations
};

/// The section `training` of the configuration.
struct TrainingConfig {
  double total_kimg = 1000;
  std::int64_t batch = 64;          ///< global batch size
  config::Location batch_location;  ///< of batch: the world size is known later
  std::int64_t accumulate = 1;      ///< passes in which a step adds up its gradients
  std::uint64_t seed = 1000;
  SeedMode seed_mode = SeedMode::kImage;
  Precision precision = Precision::kFp32;
  bool has_plain_layout = false;  ///< see models::LayoutPolicy
  device::DeviceKind device = device::DeviceKind::kAuto;
  int devices_per_process = 1;  ///< 2: one for the generator, one for the discriminator
  bool cuda_graphs = false;     ///< replay phases as CUDA graphs
  int threads = 0;              ///< CPU threads per rank; 0: its share of cores and CPU limit
  RunningMeans running_means = RunningMeans::kAveraged;
  double tick_kimg = 4;  ///< kimg between two ticks
  double samples_every_kimg = 50;
  int grid_rows = 8;
  int grid_columns = 8;
  std::int64_t max_nonfinite_steps = 10;
  bool tensorboard = false;
  std::string resume_weights;  ///< checkpoint or run to initialize weights from; empty: none

  /// Returns how many images of all ranks go through the networks together.
  std::int64_t images_per_pass() const { return batch / accumulate; }
  std::int64_t total_images() const { return static_cast<std::int64_t>(total_kimg * 1000); }
};

/// Throws ConfigError for invalid values.
TrainingConfig parse_training(config::Section in);

/// Throws ConfigError unless each of these ranks gets as many images in each pass of a step.
/// whose: what the ranks are called in the error.
void require_divisible_batch(const TrainingConfig& config, int ranks,
                             const std::string& whose = "number of ranks");

}  // namespace ganscale::training
