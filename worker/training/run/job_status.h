#pragma once

#include "training/run/run_config.h"
#include "training/run/run_folder.h"
#include "wire/job_status.h"

namespace ganscale::training {

/// Returns the initial status of a run. preflight: its result, if there was one.
wire::JobStatus first_status(const RunConfig& config, const RunFolder& folder, int world_size,
                             const std::optional<wire::Preflight>& preflight);

/// Prints the last status if the environment requests it: the operator can't query it any more.
void print_last_status(const wire::JobStatus& status);

}  // namespace ganscale::training
