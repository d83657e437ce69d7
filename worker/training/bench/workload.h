#pragma once

#include <cstdint>

#include "cost/device_table.h"
#include "planning/model/workload.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// Counts what a rank does in the phases of a step, as a model of its time takes it: at `images` on
/// the rank and at a quarter of them; the times of other numbers lie on the line through the two.
/// Where two ranks cannot divide these into passes and groups, it counts at the nearest numbers
/// that they can: more for `images`; fewer for a quarter, or more if there are none.
///
/// config: of the run, with model.channels and model.label_count of the data.
/// Throws: as count_step().
planning::Workload count_workload(const RunConfig& config, std::int64_t images,
                                  const cost::Device& device);

}  // namespace ganscale::training
