#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/group/group.h"
#include "models/contract/networks.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// The moving average of a checkpoint's generator, or the generators of all labels of scheme
/// per_label, on the CPU, in eval mode and without gradients.
struct TrainedGenerator {
  std::shared_ptr<models::Generator> generator;
  RunConfig config;
  std::filesystem::path checkpoint;  ///< its folder, or the bundle's file
  std::filesystem::path run;         ///< folder of the run
  std::int64_t images_seen = 0;
  std::vector<double> label_probabilities{};  ///< p(y) in the data; empty if unknown or no labels
  std::vector<std::string> label_names{};     ///< as above
  std::int64_t record_count = 0;              ///< of the data; 0 if unknown
};

/// Loads the generator of a run's newest valid checkpoint, or its bundle.
///
/// ema_kimg: the half-life of the average; none: the samples', generator.ema_kimg.
/// Throws: DataError if the folder has no run or no valid checkpoint; ConfigError if its
///         config.yaml is invalid, or no average has this half-life.
TrainedGenerator load_newest_generator(const std::filesystem::path& run_folder,
                                       std::optional<double> ema_kimg = {});

/// Loads the generator of a checkpoint, a folder in a run's checkpoints/, or a bundle file, as
/// above.
TrainedGenerator load_generator(const std::filesystem::path& checkpoint_folder,
                                std::optional<double> ema_kimg = {});

/// Returns the generator of rank 0's checkpoint: while a run trains, another rank may have found
/// another one to be the newest. Every rank calls it.
///
/// own: what this rank has loaded, as above.
TrainedGenerator generator_of_rank_0(comm::Group& group, TrainedGenerator own,
                                     std::optional<double> ema_kimg = {});

}  // namespace ganscale::training
