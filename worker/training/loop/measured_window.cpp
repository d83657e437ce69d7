#include "training/loop/measured_window.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

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
         (next == config_.warmup_steps || next == config_.warmup_steps + config_.steps);
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
  const double work = here.seconds - here.all_reduce_seconds;
  const auto options = at::TensorOptions(at::kDouble);
  const auto sums =
      at::tensor({static_cast<double>(images_), here.data_wait_seconds, here.all_reduce_seconds,
                  work, shares.time.value_or(0), shares.time ? 1.0 : 0.0},
                 options);
  const auto highest =
      at::tensor({here.seconds, work, shares.memory, is_over() ? 0.0 : 1.0}, options);
  group.all_reduce_sum(sums);
  group.all_reduce_max(highest);
  const auto* sum = sums.const_data_ptr<double>();
  const auto* most = highest.const_data_ptr<double>();
  if (most[3] > 0) return std::nullopt;
  const double ranks = group.size();
  wire::Measurement measured;
  measured.steps = config_.steps;
  measured.images = static_cast<std::int64_t>(sum[0]);
  measured.seconds = most[0];
  measured.data_wait_seconds = sum[1] / ranks;
  measured.all_reduce_seconds = sum[2] / ranks;
  measured.straggler_ratio = sum[3] > 0 ? most[1] / (sum[3] / ranks) : 1;
  measured.step_seconds_median = quantile(step_seconds_, 0.5);
  measured.step_seconds_p99 = quantile(step_seconds_, 0.99);
  if (most[2] > 0) measured.memory_share = most[2];
  if (sum[5] > 0) measured.gpu_use = sum[4] / sum[5];
  return measured;
}

}  // namespace ganscale::training
