#pragma once

#include <string>
#include <vector>

#include "training/run/run_config.h"

namespace ganscale::training {

/// Returns the settings of an evaluation that make its values differ from those that the run itself
/// measures, as config::differences() does. Empty: they are values of the same metrics.
///
/// What a run lacks can't differ: metrics of its own, a network, or a dataset, as after an import.
/// A network at another path is the same if its file is, or its SHA-256 in the configuration.
///
/// of_run:       the run's configuration.
/// now:          that configuration with what the evaluation overrides.
/// is_same_data: whether the dataset is that of the run, though its path may be another one.
/// Throws:       DataError if the file of a network can't be read.
std::vector<std::string> other_settings(const RunConfig& of_run, const RunConfig& now,
                                        bool is_same_data);

}  // namespace ganscale::training
