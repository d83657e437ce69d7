#pragma once

#include "training/phases/step_inputs.h"
#include "training/phases/step_result.h"

namespace ganscale::training {

/// Returns what a rank reads of the loader of its images; nothing where none are loaded.
Readings loader_readings(const StepInputs& inputs);

}  // namespace ganscale::training
