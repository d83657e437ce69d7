#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/log.h"
#include "cli/add_verb.h"
#include "cli/options/config_options.h"
#include "cli/verbs.h"
#include "cost/device_table.h"
#include "files/atomic_file.h"
#include "planning/model/calibration.h"
#include "planning/model/scaling.h"
#include "planning/output/goodput_svg.h"
#include "planning/output/goodput_table.h"
#include "planning/output/scaling_svg.h"
#include "planning/output/scaling_table.h"
#include "training/bench/workload.h"
#include "training/run/parse_run.h"
#include "training/schemes/schemes.h"

namespace ganscale::cli {
namespace {

struct PlanOptions {
  ConfigOptions config;
  std::string machine = "dgx-h100";
  std::string mode = "strong";
  int nodes = 1024;
  int gpus = 0;
  double kimg = 25'000;
  std::vector<std::string> calibration;
  bool simulates = false;
  std::string conditions;
  std::filesystem::path svg;
  ShapeOptions shapes;
  bool as_json = false;
};

constexpr auto kPlanExample =
    "\n"
    "Examples:\n"
    "  ganscale plan --config configs/runs/loppi/ffhq256-strong.yaml --machine dgx-a100 --nodes "
    "16\n"
    "  ganscale plan --config my.yaml --mode weak --calibrate measured.yaml --svg plan.svg\n"
    "  ganscale plan --config my.yaml --machine dgx-a100 --calibrate bench-1-gpu.json\n"
    "  ganscale plan --config my.yaml --machine lab.yaml --json | jq .rows[].efficiency\n"
    "  ganscale plan --config my.yaml --mode weak --nodes 128 --simulate --svg goodput.svg\n"
    "\n"
    "Counts the work of a step (ganscale bench --count) and predicts how long a step takes on 1, "
    "2,\n"
    "4, ... nodes, and where the time goes. No GPU and no data are needed, and nothing is "
    "computed.\n"
    "training.batch is the batch of the first row; with --mode weak it grows with the GPUs, with\n"
    "--mode per_label it is the batch per GPU. docs/planning.md explains the model and compares "
    "it\n"
    "with published results. --calibrate fits it to measurements:\n"
    "\n"
    "  fit: [device, synchronize_seconds]\n"
    "  points:\n"
    "    - {gpus: 1, batch: 32, seconds_per_kimg: 112.5}\n"
    "    - {gpus: 2, batch: 32, seconds_per_kimg: 58.6}\n"
    "\n"
    "--simulate simulates each scheme rank by rank on the GPUs of the last row, and whole runs\n"
    "with failures, checkpoints and restarts; --conditions sets their frequency and duration.";

planning::Machine read_machine(const std::string& name) {
  if (!name.ends_with(".yaml")) return planning::machine_of_name(name);
  return planning::parse_machine(config::Section(config::read_yaml_file(name)));
}

/// Files that end in .json are results of `ganscale bench`.
planning::Calibration read_calibration(const std::vector<std::string>& files,
                                       const planning::Machine& machine) {
  if (files.empty()) return {.assumptions = planning::assumed_of(machine)};
  config::Node settings{.value = config::Node::Map{}, .location = {files.front(), 0}};
  std::vector<planning::MeasuredPoint> points;
  for (const std::string& file : files) {
    const config::Node node = config::read_yaml_file(file);
    if (file.ends_with(".json")) {
      points.push_back(planning::parse_bench_result(config::Section(node), machine));
    } else {
      config::overlay(settings, node);
    }
  }
  return planning::parse_calibration(config::Section(settings), machine, points);
}

planning::Conditions read_conditions(const std::string& file) {
  if (file.empty()) return {};
  return planning::parse_conditions(config::Section(config::read_yaml_file(file)));
}

/// Returns what to predict. Throws UsageError or ConfigError.
planning::Question question_of(const PlanOptions& options, const training::TrainingConfig& config,
                               const planning::Machine& machine) {
  const int gpus = options.gpus > 0 ? options.gpus : machine.gpus_per_node;
  if (gpus > machine.gpus_per_node) {
    throw UsageError("--gpus: a node of " + machine.name + " has " +
                     std::to_string(machine.gpus_per_node) + ": " + std::to_string(gpus));
  }
  planning::Question question{.mode = planning::mode_of_name(options.mode),
                              .first = {gpus, config.batch},
                              .kimg = options.kimg};
  if (question.mode == planning::Mode::kPerLabel) {
    question.first.batch *= gpus;
  } else if (config.batch % gpus != 0) {
    throw ConfigError(config.batch_location.text() +
                      ": training.batch: must be divisible by the GPUs of the first row: " +
                      std::to_string(config.batch) + " on " + std::to_string(gpus));
  }
  question.gpus = planning::doublings(gpus, machine, options.nodes);
  return question;
}

std::string title_of(const models::ModelConfig& model, const planning::Question& question,
                     const planning::Machine& machine) {
  const auto [height, width] = model.resolution;
  return model.name + " at " + std::to_string(height) + " x " + std::to_string(width) + ", " +
         std::string(planning::name_of(question.mode)) + " scaling on " + machine.name;
}

void write_plot(const PlanOptions& options, const std::string& svg) {
  files::write_file_atomically(options.svg, svg);
  log::info("Wrote the plot", {{"file", options.svg}});
}

void simulate(const PlanOptions& options, const training::RunConfig& config,
              const planning::Scaling& scaling, const planning::Setting& setting,
              const std::string& title) {
  const planning::SimulatedRuns runs =
      planning::simulate_runs(scaling, setting, config.checkpoint.every_kimg, config.training.seed);
  if (!options.svg.empty()) write_plot(options, planning::to_svg(runs, title));
  if (options.as_json) {
    nlohmann::ordered_json json = planning::to_json(runs);
    json["machine"] = planning::to_json(setting.machine);
    json["assumptions"] = planning::to_json(setting.assumptions);
    json["conditions"] = planning::to_json(setting.conditions);
    std::cout << json.dump(2) << "\n";
    return;
  }
  std::cout << title << "\n"
            << planning::to_line(setting.machine) << "\n\n"
            << planning::to_table(runs) << "\nAssumed\n"
            << planning::to_yaml(setting.assumptions) << planning::to_yaml(setting.conditions);
}

ExitCode plan(const PlanOptions& options) {
  training::RunConfig config =
      training::parse_run(read_config(options.config), training::schemes());
  if (print_config_if_asked(options.config, config.resolved)) return ExitCode::kOk;
  set_shapes(options.shapes, config.model);
  const planning::Machine machine = read_machine(options.machine);
  const planning::Calibration calibration = read_calibration(options.calibration, machine);
  const planning::Conditions conditions = read_conditions(options.conditions);
  const planning::Question question = question_of(options, config.training, machine);
  if (options.config.dry_run) return ExitCode::kOk;

  const auto images = static_cast<std::int64_t>(question.first.images_per_gpu());
  const planning::Workload workload =
      training::count_workload(config, images, cost::device_of_name(machine.device));
  const planning::Assumptions assumptions = planning::fit(calibration, workload, machine);
  const planning::Scaling scaling =
      planning::predict_scaling(question, workload, machine, assumptions);
  const std::string title = title_of(config.model, question, machine);
  if (options.simulates) {
    simulate(options, config, scaling, {workload, machine, assumptions, conditions}, title);
    return ExitCode::kOk;
  }
  if (!options.svg.empty()) write_plot(options, planning::to_svg(scaling, title));
  if (options.as_json) {
    nlohmann::ordered_json json = planning::to_json(scaling);
    json["machine"] = planning::to_json(machine);
    json["assumptions"] = planning::to_json(assumptions);
    json["measured"] = planning::to_json(calibration, workload, machine, assumptions);
    std::cout << json.dump(2) << "\n";
    return ExitCode::kOk;
  }
  std::cout << title << "\n" << planning::to_line(machine) << "\n\n" << planning::to_table(scaling);
  if (!calibration.points.empty()) {
    std::cout << "\nMeasured\n" << planning::to_table(calibration, workload, machine, assumptions);
  }
  std::cout << "\nAssumed\n" << planning::to_yaml(assumptions);
  return ExitCode::kOk;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  const auto [verb, options] = add_verb(
      app, action, {"plan", "Predict how a training scales on a cluster", kPlanExample}, plan);
  add_config_options(verb, options.config);
  verb.add_option("--machine", options.machine,
                  "Name of a machine, or a YAML file that describes one")
      ->capture_default_str();
  verb.add_option("--mode", options.mode, "strong, weak or per_label")->capture_default_str();
  verb.add_option("--nodes", options.nodes,
                  "Largest number of nodes; one row each for 1, 2, 4, ... nodes")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  verb.add_option("--gpus", options.gpus,
                  "GPUs of the first row, doubled up to a full node; default: a full node")
      ->check(CLI::PositiveNumber);
  verb.add_option("--kimg", options.kimg,
                  "Length of the training, or of each label's training, in thousands of images")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--calibrate", options.calibration,
                  "YAML file of measurements, or results of ganscale bench --json (*.json)")
      ->type_name("FILE...");
  auto* simulate = verb.add_flag("--simulate", options.simulates,
                                 "Simulate the schemes, and runs with failures and checkpoints");
  verb.add_option("--conditions", options.conditions,
                  "YAML file of failure rates and delays for --simulate")
      ->type_name("FILE")
      ->needs(simulate);
  verb.add_option("--svg", options.svg, "SVG file to write")->type_name("FILE");
  add_shape_options(verb, options.shapes);
  verb.add_flag("--json", options.as_json, "Print JSON instead of tables");
}

}  // namespace ganscale::cli
