// Times the steps of a training on the CPU, of any model, with random images in place of a dataset.
// Writes one JSON line for timing.py.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "base/error.h"
#include "timing/fixed_training.h"
#include "timing/time_steps.h"
#include "training/run/parse_run.h"

namespace {

using namespace ganscale;

struct Setting {
  benchmarks::Timing timing{.batch = 16, .warm_up_steps = 2, .steps = 4};
  std::string yaml;  ///< configuration of the run but for the batch
  int labels = 0;    ///< of a conditional model
};

training::RunConfig config_of(const Setting& setting) {
  config::Node node = config::parse_yaml(setting.yaml, "--config");
  config::overlay(
      node, config::parse_assignment("training.batch=" + std::to_string(setting.timing.batch)));
  auto config = training::parse_run(std::move(node));
  config.model.label_count = setting.labels;
  return config;
}

void measure(const Setting& setting) {
  benchmarks::set_up(setting.timing);
  benchmarks::FixedTraining training(config_of(setting), at::kCPU);
  const auto seconds =
      benchmarks::time_steps(setting.timing, [&](int number) { training.step(number); });
  benchmarks::print_times(setting.timing, seconds, training.parameter_counts());
}

}  // namespace

int main(int argument_count, char** arguments) {
  CLI::App app{"Times the steps of a training; started by scripts in benchmarks/."};
  Setting setting;
  benchmarks::add_options(app, setting.timing);
  app.add_option("--config", setting.yaml, "configuration of the run, as YAML")->required();
  app.add_option("--labels", setting.labels, "labels of a conditional model");
  CLI11_PARSE(app, argument_count, arguments);
  try {
    measure(setting);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
