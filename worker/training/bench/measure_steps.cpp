#include "training/bench/measure_steps.h"

#include <ATen/ops/tensor.h>

#include <algorithm>

#include "device/cached_memory.h"
#include "device/gpu.h"
#include "training/loop/measured_window.h"
#include "training/replica/replica.h"
#include "training/schemes/synchronous/synchronous.h"

namespace ganscale::training {
namespace {

/// A time of this rank, of the whole window.
struct NamedSeconds {
  std::string name;
  double seconds = 0;
};

/// In these steps of the warm-up all phases of the presets run, and cuDNN chooses its algorithms:
/// the workspaces of those that it only tries are no memory of a step. CUDA graphs are captured
/// later.
constexpr std::int64_t kSearchSteps = 3;

/// Trains until the window is over.
void fill(MeasuredWindow& window, Synchronous& trainer, const device::NetworkDevices& devices,
          std::int64_t warmup_steps) {
  Progress progress;
  const std::int64_t search_steps = std::min(warmup_steps, kSearchSteps);
  window.begin(MeasuredWindow::Clock::now(), trainer.readings());
  while (!window.is_over()) {
    const StepResult result = trainer.step(progress);
    if (progress.step == search_steps) device::forget_peak_memory(devices.generator);
    if (window.reads_clock_next()) finish_work(devices.discriminator);
    window.step(MeasuredWindow::Clock::now(), result, trainer.readings());
  }
}

std::vector<NamedSeconds> terms_of(const WindowParts& parts) {
  double in_phases = 0;
  for (const auto& [phase, seconds] : parts.phase_seconds) in_phases += seconds;
  // On a GPU the host may be further ahead at the end of the window than at its start.
  const double host = std::max(0.0, parts.seconds - in_phases - parts.data_wait_seconds);
  const double compute = parts.seconds - parts.all_reduce_seconds - parts.data_wait_seconds - host;
  return {{"compute", compute},
          {"all_reduce", parts.all_reduce_seconds},
          {"data_wait", parts.data_wait_seconds},
          {"host", host}};
}

std::vector<NamedSeconds> phases_of(const WindowParts& parts,
                                    const std::vector<std::string>& names) {
  std::vector<NamedSeconds> phases;
  for (const std::string& name : names) {
    const auto found = parts.phase_seconds.find(name);
    phases.push_back({name, found == parts.phase_seconds.end() ? 0 : found->second});
  }
  return phases;
}

/// Returns how the times of a step differ between the ranks.
std::vector<Spread> gather(const std::vector<NamedSeconds>& here, double steps,
                           comm::Group& group) {
  std::vector<double> seconds;
  for (const NamedSeconds& each : here) seconds.push_back(each.seconds / steps);
  const at::Tensor all = group.all_gather(at::tensor(seconds, at::kDouble));  // [ranks, times]
  std::vector<Spread> spreads;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const at::Tensor times = all.select(1, static_cast<std::int64_t>(i));
    spreads.push_back({.name = here[i].name,
                       .mean = times.mean().item<double>(),
                       .lowest = times.min().item<double>(),
                       .highest = times.max().item<double>()});
  }
  return spreads;
}

}  // namespace

MeasuredSteps measure_steps(const RunConfig& config, const Dataset& dataset,
                            const device::NetworkDevices& devices, comm::Group& group) {
  NetworkGroups network_groups(config, group);
  Replica replica(config, devices, network_groups.borrowed());
  LoadedInputs inputs(config, dataset, devices.discriminator, group, Progress());
  MeasuredWindow window(config.measure);
  MeasuredSteps steps{.model = config.model.name,
                      .resolution = config.model.resolution,
                      .device = device::device_name(devices.discriminator),
                      .ranks = group.size(),
                      .batch = config.training.batch,
                      .window = config.measure};
  {
    Synchronous trainer(config, replica, inputs, group);
    fill(window, trainer, devices, config.measure.warmup_steps);
    steps.measured = window.gather(group, window.shares_of(devices.generator)).value();
    const auto count = static_cast<double>(config.measure.steps);
    const WindowParts parts = window.parts();
    steps.terms = gather(terms_of(parts), count, group);
    steps.phases = gather(phases_of(parts, trainer.phase_names()), count, group);
  }
  network_groups.finish();  // which would wait for the trainer's CUDA graphs
  return steps;
}

}  // namespace ganscale::training
