#include "training/loop/measured_window.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "comm/collectives/numbers.h"
#include "device/gpu.h"
#include "device/gpu_use.h"

namespace ganscale::training {
namespace {

/// The smallest value that this share of all values does not exceed.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double place = std::ceil(share * static_cast<double>(values.size())) - 1;
  const auto at = values.begin() + std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(place));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

void finish_work(at::Device device) {
  if (device.is_cuda()) at::zeros({1}, device).item();
}

bool MeasuredWindow::reads_clock_next() const {
  const std::int64_t next = count_ + 1;
  return is_wanted() &&
         (next == config_.warmup_steps || next - config_.warmup_steps == config_.steps);
}

void MeasuredWindow::begin(Clock::time_point now, const Readings& readings) {
  step_ended_ = now;
  if (config_.warmup_steps == 0) start(readings);
}

void MeasuredWindow::start(const Readings& readings) {
  readings_at_start_ = readings_ = readings;
  maintenance_seconds_ = 0;
}

void MeasuredWindow::step(Clock::time_point now, const StepResult& result,
                          const Readings& readings) {
  if (!is_wanted() || is_over()) return;
  const std::chrono::duration<double> since = now - step_ended_;
  step_ended_ = now;
  const bool counts = is_inside();
  count_ += 1;
  if (counts) {
    const double seconds = since.count() - maintenance_seconds_;
    step_seconds_.push_back(seconds);
    seconds_ += seconds;
    images_ += result.images;
    if (result.role) role_wait_seconds_ += result.role->wait_seconds;
    for (const auto& [phase, spent] : result.phase_seconds) phase_seconds_[phase] += spent;
    readings_ = readings;
  } else if (is_inside()) {
    start(readings);
  }
  maintenance_seconds_ = 0;
}

void MeasuredWindow::add_maintenance(double seconds) { maintenance_seconds_ += seconds; }

WindowParts MeasuredWindow::parts() const {
  return {
      .seconds = seconds_,
      .data_wait_seconds = readings_.loader.wait_seconds - readings_at_start_.loader.wait_seconds,
      .all_reduce_seconds =
          readings_.all_reduce.exposed_seconds - readings_at_start_.all_reduce.exposed_seconds,
      .role_wait_seconds = role_wait_seconds_,
      .phase_seconds = phase_seconds_};
}

DeviceShares MeasuredWindow::shares_of(at::Device device) const {
  if (!device.is_cuda()) return {};
  const device::DeviceMemory memory = device::device_memory(device);
  return {
      .memory = static_cast<double>(memory.peak_bytes) / static_cast<double>(memory.total_bytes),
      .time = device::gpu_use(device, std::chrono::duration<double>(seconds_))};
}

std::optional<wire::Measurement> MeasuredWindow::gather(comm::Group& group,
                                                        const DeviceShares& shares) const {
  const WindowParts here = parts();
  bool is_unfinished = !is_over();
  comm::all_reduce_max(group, {&is_unfinished});
  if (is_unfinished) return std::nullopt;
  wire::Measurement measured{.steps = config_.steps,
                             .images = images_,
                             .seconds = here.seconds,
                             .data_wait_seconds = here.data_wait_seconds,
                             .all_reduce_seconds = here.all_reduce_seconds,
                             .role_wait_seconds = here.role_wait_seconds};
  double work = here.seconds - here.all_reduce_seconds - here.role_wait_seconds;
  double longest_work = work;
  double gpu_use = shares.time.value_or(0);
  double measured_gpus = shares.time ? 1 : 0;
  double memory_share = shares.memory;
  comm::all_reduce_sum(group, {&measured.images});
  comm::all_reduce_sum(group, {&measured.data_wait_seconds, &measured.all_reduce_seconds,
                               &measured.role_wait_seconds, &work, &gpu_use, &measured_gpus});
  comm::all_reduce_max(group, {&measured.seconds, &longest_work, &memory_share});
  const double ranks = group.size();
  measured.data_wait_seconds /= ranks;
  measured.all_reduce_seconds /= ranks;
  measured.role_wait_seconds /= ranks;
  measured.straggler_ratio = work > 0 ? longest_work / (work / ranks) : 1;
  measured.step_seconds_median = quantile(step_seconds_, 0.5);
  measured.step_seconds_p99 = quantile(step_seconds_, 0.99);
  if (memory_share > 0) measured.memory_share = memory_share;
  if (measured_gpus > 0) measured.gpu_use = gpu_use / measured_gpus;
  return measured;
}

}  // namespace ganscale::training
