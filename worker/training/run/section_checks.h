#pragma once

#include <string>
#include <vector>

#include "training/run/run_config.h"

namespace ganscale::training {

/// Checks what the sections of a configuration say only together, such as that the metric of the
/// best checkpoint is one of those that are measured. Throws ConfigError with file, line and key.
void require_sections_fit(const config::Section& in, const RunConfig& config);

/// Returns a sentence for each thing that a run does but hardly means to.
std::vector<std::string> config_warnings(const RunConfig& config);

}  // namespace ganscale::training
