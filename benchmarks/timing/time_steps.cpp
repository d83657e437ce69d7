#include "timing/time_steps.h"

#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/host_memory.h"

namespace ganscale::benchmarks {
namespace {

double peak_resident_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // KiB on Linux
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
  using Clock = std::chrono::steady_clock;
  const c10::Device device(timing.device);
  for (int i = 0; i < timing.warm_up_steps; ++i) step(0);
  std::vector<double> seconds;
  wait_for(device);
  for (int number = 0; number < timing.steps; ++number) {
    const auto start = Clock::now();
    step(number);
    wait_for(device);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return seconds;
}

void print_times(const std::vector<double>& step_seconds) {
  const nlohmann::ordered_json line = {{"step_seconds", step_seconds},
                                       {"peak_resident_mib", peak_resident_mib()}};
  std::cout << line << "\n";
}

}  // namespace ganscale::benchmarks
