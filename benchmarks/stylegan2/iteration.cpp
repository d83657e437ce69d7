// Times StyleGAN2 training steps of the small preset at 64x64 on the CPU, with all phases: 16 steps
// hold 16 Gmain, 4 Greg, 16 Dmain, 1 Dreg. Writes one JSON line for compare_iterations.py.
#include <ATen/Parallel.h>
#include <ATen/ops/rand.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "comm/thread_group.h"
#include "training/synchronous.h"

namespace {

using namespace ganscale;

struct Setting {
  int threads = 2;
  int batch = 16;
  int warm_up_steps = 4;
  int steps = 16;
};

double peak_resident_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // KiB on Linux
}

nlohmann::ordered_json measure(const Setting& setting) {
  at::set_num_threads(setting.threads);
  training::RunConfig config = training::parse_run(config::parse_yaml(
      "model: {name: stylegan2, preset: small, resolution: 64}\ntraining: {batch: " +
          std::to_string(setting.batch) + "}",
      "benchmark"));
  const auto group = comm::make_single_group();
  training::Replica replica(config, at::kCPU, {});
  training::Synchronous scheme(config, replica, *group);
  const data::Batch real{at::rand({setting.batch, 3, 64, 64}).mul(2).sub(1), {}};
  training::Progress progress;
  std::vector<double> seconds;
  for (int i = 0; i < setting.warm_up_steps + setting.steps; ++i) {
    // The warm-up has every phase, and so has the time on the clock, as often as a long run.
    if (i == setting.warm_up_steps) progress.step = 0;
    const training::StepInput input{real,
                                    image_random(SeedMode::kImage, 1, 0, 1, progress.images_seen)};
    const auto start = std::chrono::steady_clock::now();
    scheme.step(input, progress);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (i >= setting.warm_up_steps) seconds.push_back(passed.count());
    ++progress.step;
    progress.images_seen += setting.batch;
  }
  return {{"step_seconds", seconds}, {"peak_resident_mib", peak_resident_mib()}};
}

}  // namespace

int main(int argument_count, char** arguments) {
  CLI::App app{"Times StyleGAN2 steps; started by benchmarks/stylegan2/compare_iterations.py."};
  Setting setting;
  app.add_option("--threads", setting.threads, "threads of an operator");
  app.add_option("--batch", setting.batch, "images a step");
  app.add_option("--warm-up", setting.warm_up_steps, "steps before the clock starts");
  app.add_option("--steps", setting.steps, "steps on the clock");
  CLI11_PARSE(app, argument_count, arguments);
  std::cout << measure(setting) << "\n";
}
