#pragma once

#include <string>

#include "comm/group/group.h"
#include "data/loader/data_config.h"
#include "training/run/dataset.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// Checks what can be known of a run on `world_size` ranks without its data and devices: all that a
/// training would refuse before it opens them, and what it would refuse of its networks. Logs what
/// is valid but probably not intended.
///
/// config: as parsed for this number of ranks, with the schemes.
/// Throws: ConfigError.
void check_config(RunConfig config, int world_size);

/// Throws ConfigError on all ranks unless they have the same configuration, except for what a
/// machine may have a value of its own for, such as data.path. Every rank calls it.
///
/// resolved: of this rank, as in RunConfig.
void require_same_config(comm::Group& group, const std::string& resolved);

/// Throws DataError on all ranks unless their datasets have as many records, channels and labels,
/// and the same names of labels: a machine may have a data.path of its own. Every rank calls it.
void require_same_dataset(comm::Group& group, const data::DataConfig& config,
                          const Dataset& dataset);

/// Throws ConfigError if training.resume_weights is a file or a URL, not a folder.
void check_weights(const TrainingConfig& config);

/// Throws ConfigError for a metric that can't measure what the scheme trains.
void check_metrics(const RunConfig& config, bool has_labels);

}  // namespace ganscale::training
