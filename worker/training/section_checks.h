#pragma once

#include <string>
#include <vector>

#include "training/run_config.h"

namespace ganscale::training {

/// Checks what the sections of a configuration say only together: the metric of the best checkpoint
/// is one of those that are measured, and scheme per_label, which measures at its end alone, is not
/// asked for more. Throws ConfigError with the key.
void require_sections_fit(const RunConfig& config);

/// Returns a sentence for each thing that a run does but hardly means to.
std::vector<std::string> doubts(const RunConfig& config);

}  // namespace ganscale::training
