#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/run/run_config.h"

namespace ganscale::training {

/// Checks that the sections of a configuration are consistent, for example that the metric of the
/// best checkpoint is evaluated. Throws ConfigError with file, line and key.
void require_sections_fit(const config::Section& in, const RunConfig& config);

/// Throws ConfigError for two devices per process: a rank exchanges all through one. scheme: its
/// name.
void require_one_device(const config::Section& root, const TrainingConfig& training,
                        const std::string& scheme);

/// Throws ConfigError unless ranks can share the statistics of the images of a pass: in whole
/// groups.
/// images_per_pass: of all ranks.
void require_shared_statistics(const RunConfig& config, std::int64_t images_per_pass, int ranks);

/// Throws ConfigError unless ranks can share training.batch: as many images for each in each pass,
/// and their statistics.
/// whose: what the ranks are called in the error.
void require_shared_batch(const RunConfig& config, int ranks, const std::string& whose);

/// Returns warnings about settings that are valid but probably not intended.
std::vector<std::string> config_warnings(const RunConfig& config);

/// Returns warnings about settings that fit the whole run, but not the training of its smallest
/// label.
/// kimg: of that label, its share of training.total_kimg.
std::vector<std::string> label_warnings(const RunConfig& config, std::int64_t label, double kimg);

}  // namespace ganscale::training
