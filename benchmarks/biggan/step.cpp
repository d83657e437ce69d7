// Times training steps of a BigGAN at 32x32 on the CPU: an update of D, one of G, one of its average.
// Writes one JSON line for compare_steps.py.
#include <CLI/CLI.hpp>

#include "timing/fixed_training.h"
#include "timing/time_steps.h"
#include "training/run/parse_run.h"

namespace {

using namespace ganscale;

/// The recipe of BigGAN-PyTorch in a single pass, averaging from the start.
training::RunConfig config_of(int batch, int channels) {
  const std::string ch = std::to_string(channels);
  auto config = training::parse_run(config::parse_yaml(
      "model: {preset: biggan-pytorch, resolution: 32, generator_channels: " + ch +
          ", discriminator_channels: " + ch + "}\ntraining: {batch: " + std::to_string(batch) +
          ", accumulate: 1}\ngenerator: {ema_start_kimg: 0}",
      "benchmark"));
  config.model.label_count = 10;
  return config;
}

}  // namespace

int main(int argument_count, char** arguments) {
  CLI::App app{"Times steps of a BigGAN; started by benchmarks/biggan/compare_steps.py."};
  benchmarks::Timing timing{.batch = 16, .warm_up_steps = 1, .steps = 4};
  int channels = 64;
  benchmarks::add_options(app, timing);
  app.add_option("--channels", channels, "the paper's ch");
  CLI11_PARSE(app, argument_count, arguments);
  benchmarks::set_up(timing);
  benchmarks::FixedTraining training(config_of(timing.batch, channels), at::kCPU);
  benchmarks::print_times(
      benchmarks::time_steps(timing, [&](int number) { training.step(number); }));
}
