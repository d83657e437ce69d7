#include "planning/model/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "base/error.h"
#include "base/joined.h"
#include "planning/model/predict.h"

namespace ganscale::planning {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"strong", "weak", "per_label"};

constexpr std::array<Term, 5> kTerms = {{
    {"device", &StepTime::device},
    {"host", &StepTime::host},
    {"all-reduce", &StepTime::all_reduce},
    {"stragglers", &StepTime::stragglers},
    {"data", &StepTime::data},
}};

Scale scale_on(const Question& question, int gpus) {
  Scale scale = question.first;
  scale.gpus = gpus;
  if (question.mode != Mode::kStrong) {
    scale.batch = question.first.batch / question.first.ranks() * scale.ranks();
  }
  return scale;
}

ScalingRow synchronous_row(const Question& question, const Scale& scale, const Workload& workload,
                           const Machine& machine, const Assumptions& assumptions) {
  ScalingRow row{.scale = scale};
  row.step = predict_step(workload, machine, assumptions, scale);
  row.seconds_per_kimg = seconds_per_kimg(row.step, scale);
  row.hours = question.kimg * row.seconds_per_kimg / 3600;
  return row;
}

/// Ranks synchronize only at the end, so that jitter averages out over the steps; a device keeps
/// its speed.
ScalingRow per_label_row(const Question& question, const Scale& scale, const Workload& workload,
                         const Assumptions& assumptions) {
  ScalingRow row{.scale = scale};
  row.step = predict_lone_step(workload, assumptions, scale);
  const double steps = question.kimg * 1000 / scale.images_per_rank();
  const double deviation = std::hypot(assumptions.spread, assumptions.jitter / std::sqrt(steps));
  row.step.stragglers =
      deviation * mean_largest_normal(scale.ranks()) * (row.step.device + row.step.host);
  row.hours = steps * row.step.total() / 3600;
  row.seconds_per_kimg = seconds_per_kimg(row.step, scale);
  return row;
}

ScalingRow row_of(const Question& question, const Scale& scale, const Workload& workload,
                  const Machine& machine, const Assumptions& assumptions) {
  ScalingRow row = question.mode == Mode::kPerLabel
                       ? per_label_row(question, scale, workload, assumptions)
                       : synchronous_row(question, scale, workload, machine, assumptions);
  row.nodes = machine.nodes_of(scale.gpus);
  row.hours += assumptions.start_seconds_on(row.nodes) / 3600;
  return row;
}

/// Returns why ranks can't train on this scale; empty if they can.
std::string unfit(const Scale& scale, const Workload& workload) {
  if (scale.batch % (scale.ranks() * workload.passes) == 0) return {};
  const std::string passes =
      workload.passes == 1 ? "" : " in each of " + std::to_string(workload.passes) + " passes";
  return "the batch of " + std::to_string(scale.batch) + " gives " + std::to_string(scale.gpus) +
         " GPUs a fractional number of images" + passes;
}

}  // namespace

std::string_view name_of(Mode mode) { return kModes[static_cast<std::size_t>(mode)]; }

Mode mode_of_name(std::string_view name) {
  const auto found = std::ranges::find(kModes, name);
  if (found == kModes.end()) {
    throw UsageError("no such mode: " + std::string(name) + " (known: " + joined(kModes) + ")");
  }
  return static_cast<Mode>(found - kModes.begin());
}

std::vector<int> doublings(int first, const Machine& machine, int last_nodes) {
  std::vector<int> gpus;
  for (int part = first; part < machine.gpus_per_node; part *= 2) gpus.push_back(part);
  for (int nodes = 1; nodes < last_nodes; nodes *= 2) {
    gpus.push_back(nodes * machine.gpus_per_node);
  }
  gpus.push_back(last_nodes * machine.gpus_per_node);
  return gpus;
}

Scaling predict_scaling(const Question& question, const Workload& workload, const Machine& machine,
                        const Assumptions& assumptions) {
  Scaling scaling{.question = question};
  for (const int gpus : question.gpus) {
    const Scale scale = scale_on(question, gpus);
    scaling.left_out = unfit(scale, workload);
    if (!scaling.left_out.empty()) break;
    scaling.rows.push_back(row_of(question, scale, workload, machine, assumptions));
    ScalingRow& row = scaling.rows.back();
    const ScalingRow& first = scaling.rows.front();
    row.speedup = first.seconds_per_kimg / row.seconds_per_kimg;
    row.efficiency = row.speedup * first.scale.gpus / row.scale.gpus;
  }
  return scaling;
}

std::span<const Term> terms() { return kTerms; }

std::string_view limit_of(const StepTime& step) {
  return std::ranges::max_element(kTerms, {}, [&](const Term& term) { return step.*term.seconds; })
      ->name;
}

}  // namespace ganscale::planning
