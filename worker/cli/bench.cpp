#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <utility>

#include "cli/add_verb.h"
#include "cli/options/config_options.h"
#include "cli/options/number_checks.h"
#include "cli/verbs.h"
#include "comm/backends/launcher.h"
#include "cost/device_table.h"
#include "training/bench/count_report.h"
#include "training/bench/measure_steps.h"
#include "training/bench/synthetic_dataset.h"
#include "training/run/parse_run.h"
#include "training/run/presets.h"
#include "training/schemes/schemes.h"
#include "training/session/process_context.h"
#include "wire/scheme.h"

namespace ganscale::cli {
namespace {

struct BenchOptions {
  ConfigOptions config;
  std::string device = "H200";
  int ranks = 1;
  ShapeOptions shapes;
  bool counts = false;
  bool as_json = false;
  bool lists_operators = false;
};

constexpr std::int64_t kWarmupSteps = 10;
constexpr std::int64_t kSteps = 50;

constexpr auto kBenchExample =
    "\n"
    "Examples:\n"
    "  mpirun -n 8 ganscale bench --config my.yaml --set data.path=faces --json\n"
    "  ganscale bench --count --config configs/runs/loppi/ffhq256-strong.yaml\n"
    "  ganscale bench --count --config my.yaml --set training.batch=64 --ranks 8 --device A100\n"
    "  ganscale bench --count --config my.yaml --json | jq .step.launches\n"
    "\n"
    "Measures `measure.steps` (50) steps of the synchronous scheme after `measure.warmup_steps`\n"
    "(10), on random images if data.path is empty (--set 'data.path=\"\"'). Writes no files.\n"
    "Prints one result for all ranks, with the mean, lowest and highest rank:\n"
    "  compute, all_reduce         computation; exposed waiting for gradients of other ranks\n"
    "  data_wait, host             waiting for images; other host work\n"
    "  in phases                   host time by phase: on a GPU, the time to launch it\n"
    "\n"
    "--count runs each phase of a step once on shapes alone, on the code path of a GPU: no GPU and "
    "no\n"
    "data are needed, and nothing is computed. For each phase and for the mean step the table has "
    "the\n"
    "work that a rank submits to its GPU:\n"
    "  forward, gradient, weight   floating-point operations of convolutions: plain, transposed "
    "(the\n"
    "                              gradient of an input), and the gradients of weights\n"
    "  matrix                      of matrix products\n"
    "  memory                      bytes read and written by everything but convolutions\n"
    "  launches                    kernels of ganscale and operators of ATen, without views\n"
    "  reads                       times that the host waits for a value\n"
    "  reduced                     bytes of all-reduces\n"
    "  time                        the estimated time of the device for that: convolutions and "
    "matrix\n"
    "                              products at a share of the device's peak, but no faster than\n"
    "                              their memory traffic, which takes a share of the bandwidth, as\n"
    "                              the rest does; a time for each kernel to begin and end;\n"
    "                              launches, if the device waits for them; a CUDA graph\n"
    "                              (training.cuda_graphs) has none but those of updates. Each\n"
    "                              device has its own shares: see docs/performance.md\n"
    "It is an estimate to compare measured times with, not a measurement.";

ExitCode count(const BenchOptions& options, const training::RunConfig& config) {
  const cost::Device& device = cost::device_of_name(options.device);
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

/// Returns the window to measure: each key that the configuration does not set has its default.
training::MeasureConfig window_of(const config::Node& node) {
  config::Section in = config::Section(node).section("measure");
  training::MeasureConfig window{
      .warmup_steps = in.get("warmup_steps", kWarmupSteps, /*documentation=*/""),
      .steps = in.get("steps", kSteps, /*documentation=*/"")};
  if (window.steps > 0) return window;
  // The configuration in a run's folder says that there is no window by zeros for both. A warm-up
  // of 0 that --set puts over it is meant.
  window.steps = kSteps;
  const bool from_one_place = in.location("warmup_steps").origin == in.location("steps").origin;
  if (window.warmup_steps == 0 && from_one_place) window.warmup_steps = kWarmupSteps;
  return window;
}

ExitCode measure(const BenchOptions& options, training::RunConfig config) {
  if (wire::sharing_of(config.scheme.name) != wire::Sharing::kBatch) {
    throw ConfigError(
        "scheme.name: bench measures only synchronous; for another scheme set `measure` in a "
        "training: " +
        config.scheme.name);
  }
  training::ProcessContext process = training::open_process_context(config);
  const training::Dataset dataset = config.data.path.empty()
                                        ? training::synthetic_dataset(config.model)
                                        : training::open_dataset(config.data, config.model);
  comm::Group& group = *process.world.group;
  training::require_divisible_batch(config.training, group.size());
  if (!options.config.dry_run) {
    const auto steps = training::measure_steps(config, dataset, process.devices, group);
    if (group.rank() == 0) {
      std::cout << (options.as_json ? training::to_json(steps).dump(2) + "\n"
                                    : training::to_table(steps));
    }
  }
  group.finish();
  return ExitCode::kOk;
}

/// Returns the configuration for the ranks that count or measure, on which presets may depend.
training::RunConfig read_run_config(const BenchOptions& options) {
  config::Node node = read_config(options.config);
  training::apply_presets(node, options.counts ? options.ranks : comm::launched_world_size());
  const training::MeasureConfig window = window_of(node);
  training::RunConfig config =
      training::parse_run(config::Section(std::move(node)), training::schemes());
  config.measure = window;
  return config;
}

ExitCode bench(const BenchOptions& options) {
  training::RunConfig config = read_run_config(options);
  if (print_config_if_asked(options.config, config.resolved)) return ExitCode::kOk;
  if (options.counts || config.data.path.empty()) set_shapes(options.shapes, config.model);
  return options.counts ? count(options, config) : measure(options, std::move(config));
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  const auto [verb, options] = add_verb(
      app, action,
      {"bench", "Measure the steps of a training, or count their work on a GPU", kBenchExample},
      bench);
  auto* count = verb.add_flag("--count", options.counts,
                              "Count operations, bytes and launches of a step, and train nothing");
  add_config_options(verb, options.config);
  verb.add_option("--device", options.device,
                  "Device to predict the time for: " + cost::names_of_devices())
      ->needs(count)
      ->capture_default_str();
  verb.add_option("--ranks", options.ranks, "Ranks that share training.batch")
      ->needs(count)
      ->check(positive_integer)
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  add_shape_options(verb, options.shapes);
  verb.add_flag("--operators", options.lists_operators,
                "Also list the operators of the mean step by number of launches")
      ->needs(count);
  verb.add_flag("--json", options.as_json, "Print JSON instead of a table");
}

}  // namespace ganscale::cli
