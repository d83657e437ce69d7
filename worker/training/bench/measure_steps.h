#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/resolution.h"
#include "comm/group/group.h"
#include "device/select_device.h"
#include "training/run/dataset.h"
#include "training/run/run_config.h"
#include "wire/job_status.h"

namespace ganscale::training {

/// A time by its name, and how it differs between ranks, in seconds of a mean step.
struct Spread {
  std::string name;
  double mean = 0;
  double lowest = 0;
  double highest = 0;
};

/// What steps took, of all ranks.
struct MeasuredSteps {
  std::string model;
  Resolution resolution = {};
  std::string device;
  int ranks = 1;
  std::int64_t batch = 0;  ///< of all ranks
  MeasureConfig window;
  wire::Measurement measured = {};
  /// They add up to a step: compute, all_reduce (that the computation does not hide), data_wait, and
  /// host, which is all that the host does outside phases and waiting for data.
  std::vector<Spread> terms = {};
  /// Of the host: on a GPU, what it took to launch them.
  std::vector<Spread> phases = {};
};

/// Trains steps of the synchronous scheme as config.measure says, and measures them; nothing is read
/// from or written to a run folder. Every rank calls it, and gets the same result. The ranks divide
/// the batch.
MeasuredSteps measure_steps(const RunConfig& config, const Dataset& dataset,
                            const device::NetworkDevices& devices, comm::Group& group);

std::string to_table(const MeasuredSteps& steps);
nlohmann::ordered_json to_json(const MeasuredSteps& steps);

}  // namespace ganscale::training
