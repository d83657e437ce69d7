#pragma once

#include "training/run/run_config.h"
#include "training/run/run_folder.h"
#include "wire/job_status.h"

namespace ganscale::training {

/// Returns the status of a run before its first step.
wire::JobStatus first_status(const RunConfig& config, const RunFolder& folder, int world_size);

/// Prints the last status where the environment asks for it: an operator can't ask any more.
void print_last_status(const wire::JobStatus& status);

}  // namespace ganscale::training
