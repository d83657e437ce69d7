#include "timing/time_steps.h"

#include <ATen/Parallel.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/host.h"
#include "device/cached_memory.h"
#include "device/gpu.h"

namespace ganscale::benchmarks {
namespace {

double peak_resident_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // KiB on Linux
}

std::vector<double> time_on_cpu(int steps, const Step& step) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int number = 0; number < steps; ++number) {
    const auto start = Clock::now();
    step(number);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return seconds;
}

/// As in training, the host does not wait for a step before it begins the next.
std::vector<double> time_on_gpu(c10::Device device, int steps, const Step& step) {
  const c10::impl::VirtualGuardImpl streams(device.type());
  std::vector<c10::Event> ends;
  const auto record = [&] {
    ends.emplace_back(device.type(), c10::EventFlag::BACKEND_DEFAULT)  // with times
        .record(streams.getStream(device));
  };
  wait_for(device);
  record();
  for (int number = 0; number < steps; ++number) {
    step(number);
    record();
  }
  wait_for(device);
  std::vector<double> seconds;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    seconds.push_back(ends[i].elapsedTime(ends[i + 1]) / 1000);
  return seconds;
}

/// "cuda" is the first.
c10::Device with_index(c10::Device device) {
  return {device.type(), std::max<c10::DeviceIndex>(device.index(), 0)};
}

void forget_peak_memory(c10::Device device) {
  wait_for(device);
  device::forget_peak_memory(with_index(device));
}

}  // namespace

void wait_for(c10::Device device) {
  if (device.is_cuda()) c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(0);
}

void add_options(CLI::App& app, Timing& timing) {
  app.add_option("--threads", timing.threads, "threads of an operator");
  app.add_option("--batch", timing.batch, "images per step");
  app.add_option("--warm-up", timing.warm_up_steps, "steps before the clock starts");
  app.add_option("--steps", timing.steps, "steps on the clock");
}

void set_up(const Timing& timing) {
  keep_freed_host_memory();
  at::set_num_threads(timing.threads);
}

std::vector<double> time_steps(const Timing& timing, const Step& step) {
  const c10::Device device(timing.device);
  for (int i = 0; i < timing.warm_up_steps; ++i) {
    step(0);
    if (i == 0 && device.is_cuda()) forget_peak_memory(device);
  }
  return device.is_cuda() ? time_on_gpu(device, timing.steps, step)
                          : time_on_cpu(timing.steps, step);
}

void print_times(const Timing& timing, const std::vector<double>& step_seconds,
                 const ParameterCounts& parameters) {
  nlohmann::ordered_json line = {{"step_seconds", step_seconds},
                                 {"peak_resident_mib", peak_resident_mib()}};
  const c10::Device device(timing.device);
  if (device.is_cuda()) {
    const auto peak = static_cast<double>(device::device_memory(with_index(device)).peak_bytes);
    line["peak_device_mib"] = peak / (1 << 20);
  }
  if (!parameters.empty()) line["parameters"] = parameters;
  std::cout << line << "\n";
}

}  // namespace ganscale::benchmarks
