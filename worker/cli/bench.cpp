#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/config_options.h"
#include "cli/verbs.h"
#include "cost/device_table.h"
#include "training/bench/count_report.h"
#include "training/run/parse_run.h"
#include "training/schemes/schemes.h"

namespace ganscale::cli {
namespace {

struct BenchOptions {
  ConfigOptions config;
  std::string device = "H200";
  int ranks = 1;
  int channels = 3;
  int labels = 0;
  bool counts = false;
  bool as_json = false;
  bool lists_operators = false;
};

constexpr auto kBenchExample =
    "\nExamples:\n"
    "  ganscale bench --count --config configs/runs/ffhq256-config-f.yaml\n"
    "  ganscale bench --count --config my.yaml --set training.batch=64 --ranks 8 --device A100\n"
    "  ganscale bench --count --config my.yaml --json | jq .step.launches\n"
    "\n"
    "Runs each phase of a step once on shapes alone, on the path that a GPU takes: no GPU and no\n"
    "data are needed, and nothing is computed. The table has, for each phase and for the mean "
    "step,\n"
    "what a rank gives to its GPU:\n"
    "  forward, gradient, weight   floating-point operations of convolutions: plain, transposed "
    "(the\n"
    "                              gradient of an input), and the gradients of weights\n"
    "  matrix                      of matrix products\n"
    "  memory                      bytes read and written by all that is no convolution\n"
    "  launches                    kernels of ganscale and operators of ATen, without views\n"
    "  reads                       times that the host waits for a value\n"
    "  reduced                     bytes of all-reduces\n"
    "  time                        the least that the device takes for that: convolutions and "
    "matrix\n"
    "                              products at 65% of the low-precision peak or 50% of another, "
    "the\n"
    "                              rest at 75% of the bandwidth, 2.5 us for a launch in a CUDA "
    "graph\n"
    "                              (training.cuda_graphs), 6 us outside one where the device "
    "waits\n"
    "It is a bound to judge a measured time by, not a measurement.";

ExitCode count(const BenchOptions& options) {
  training::RunConfig config =
      training::parse_run(read_config(options.config), training::scheme_keys(training::schemes()));
  if (options.config.print_config) {
    std::cout << config.resolved;
    return ExitCode::kOk;
  }
  const cost::Device& device = cost::device_of_name(options.device);
  config.model.channels = options.channels;
  config.model.label_count = models::takes_labels(config.model) ? options.labels : 0;
  if (options.config.dry_run) return ExitCode::kOk;
  const auto phases = training::count_step(config, options.ranks);
  const auto report = training::report_counts(phases, config, options.ranks, device);
  if (options.as_json) {
    std::cout << training::to_json(report).dump(2) << "\n";
  } else {
    std::cout << training::to_table(report);
    if (options.lists_operators) std::cout << "\n" << training::to_operators_table(report);
  }
  return ExitCode::kOk;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = app.add_subcommand("bench", "Count the work of a training step on a GPU");
  verb->footer(kBenchExample);
  verb->add_flag("--count", options->counts, "Count operations, bytes and launches; required")
      ->required();
  add_config_options(*verb, options->config);
  verb->add_option("--device", options->device,
                   "Device to predict the time for: V100, A100, H100, H200, ...")
      ->capture_default_str();
  verb->add_option("--ranks", options->ranks, "Ranks that share training.batch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--channels", options->channels, "Channels of the images")
      ->check(CLI::IsMember({1, 3}))
      ->capture_default_str();
  verb->add_option("--labels", options->labels, "Number of labels, for a conditional model")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_flag("--operators", options->lists_operators,
                 "Also list the operators of the mean step by number of launches");
  verb->add_flag("--json", options->as_json, "Print JSON instead of a table");
  verb->callback([options, &action] { action = [options] { return count(*options); }; });
}

}  // namespace ganscale::cli
