#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/resolution.h"
#include "cost/operation.h"
#include "cost/roofline.h"
#include "training/bench/count_step.h"

namespace ganscale::training {

/// The work of one phase, or of a step on average, and the estimated time of a device for it.
struct CountRow {
  std::string name = {};
  double interval = 1;
  cost::Work work = {};
  std::map<std::string, cost::Work> operators = {};  ///< the work by the operator's name
  cost::Time time = {};
  double peak_bytes = 0;  ///< the most memory at a time
};

/// The counts of a run on one kind of device.
struct CountReport {
  const cost::Device& device;
  Resolution resolution = {};
  std::int64_t batch = 0;  ///< of all ranks
  int ranks = 1;
  std::vector<CountRow> phases = {};
  CountRow step = {
      .name = "step"};  ///< the mean over steps: a phase that is due in every n-th counts one n-th

  double gflop_per_image() const;
  double seconds_per_kimg() const;
};

CountReport report_counts(std::span<const CountedPhase> phases, const RunConfig& config, int ranks,
                          const cost::Device& device);

/// Returns a table with a line for each phase and one for the step.
std::string to_table(const CountReport& report);

/// Returns a table with a line for each operator of the mean step, the one with the most launches
/// first.
std::string to_operators_table(const CountReport& report);

/// Returns the same with exact numbers, and the times by where they are spent.
nlohmann::ordered_json to_json(const CountReport& report);

}  // namespace ganscale::training
