#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/resolution.h"
#include "cli/add_verb.h"
#include "cli/options/config_options.h"
#include "cli/options/number_checks.h"
#include "cli/verbs.h"
#include "cost/device_table.h"
#include "files/atomic_file.h"
#include "planning/model/calibration.h"
#include "planning/model/scaling.h"
#include "planning/output/goodput_svg.h"
#include "planning/output/goodput_table.h"
#include "planning/output/scaling_svg.h"
#include "planning/output/scaling_table.h"
#include "planning/output/scheme_table.h"
#include "training/bench/workload.h"
#include "training/run/parse_run.h"
#include "training/run/presets.h"
#include "training/run/section_checks.h"
#include "training/schemes/schemes.h"
#include "wire/scheme.h"

namespace ganscale::cli {
namespace {

struct PlanOptions {
  ConfigOptions config;
  std::string machine = "dgx-h100";
  std::string mode;  ///< empty: that of the scheme
  int nodes = 1024;
  int gpus = 0;
  double kimg = 0;  ///< 0: that of the configuration
  std::vector<std::string> calibration;
  bool simulates = false;
  std::string scheme;  ///< "auto": compares the schemes; empty: does not
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
    "  ganscale plan --config my.yaml --machine dgx-a100 --nodes 8 --scheme auto\n"
    "\n"
    "Counts the work of a step (ganscale bench --count) and predicts how long a step takes on 1, "
    "2,\n"
    "4, ... nodes, and where the time goes. No GPU and no data are needed, and nothing is "
    "computed.\n"
    "training.batch is the batch of the first row; with --mode weak it grows with the GPUs, with\n"
    "--mode per_label it is the batch per label. docs/planning.md explains the model and compares "
    "it\n"
    "with published results. --calibrate fits it to measurements:\n"
    "\n"
    "  fit: [device, synchronize_seconds]\n"
    "  points:\n"
    "    - {gpus: 1, batch: 32, seconds_per_kimg: 112.5}\n"
    "    - {gpus: 2, batch: 32, seconds_per_kimg: 58.6}\n"
    "\n"
    "--simulate simulates each scheme rank by rank on the GPUs of the last row, and whole runs\n"
    "with failures, checkpoints and restarts; --conditions sets their frequency and duration.\n"
    "\n"
    "--scheme auto simulates only the schemes: synchronous, and asynchronous with each ratio of\n"
    "roles that divides the GPUs of a node and the batch. It prints the lines that configure\n"
    "the faster one. Quality is not simulated.";

planning::Machine read_machine(const std::string& name) {
  if (!name.ends_with(".yaml")) return planning::machine_of_name(name);
  return planning::parse_machine(config::Section(config::read_yaml_file(name)));
}

bool is_bench_result(const std::string& file) { return file.ends_with(".json"); }

/// Reads a result of `ganscale bench`. Throws ConfigError unless it measured this model.
planning::MeasuredPoint read_bench_result(const std::string& file, const planning::Machine& machine,
                                          const models::ModelConfig& model) {
  config::Section in(config::read_yaml_file(file));
  const planning::MeasuredPoint point = planning::parse_bench_result(in, machine);
  const std::string measured = in.get("model", std::string(), /*documentation=*/"");
  in.require(measured == model.name, "model",
             "is not the configured model, " + model.name + ": " + measured);
  const Resolution resolution = in.get_resolution("resolution", 0, /*documentation=*/"");
  in.require(resolution == model.resolution, "resolution",
             "is not that of the configured model, " + text_of(model.resolution) + ": " +
                 text_of(resolution));
  return point;
}

/// Files that end in .json are results of `ganscale bench`. Throws UsageError or ConfigError.
planning::Calibration read_calibration(const std::vector<std::string>& files,
                                       const planning::Machine& machine,
                                       const models::ModelConfig& model) {
  if (files.empty()) return {.assumptions = planning::assumed_of(machine)};
  const auto settings = std::ranges::find_if_not(files, is_bench_result);
  if (std::ranges::count_if(files, std::not_fn(is_bench_result)) > 1) {
    throw UsageError(
        "--calibrate: at most one YAML file, and results of `ganscale bench --json` "
        "in files that end in .json");
  }
  std::vector<planning::MeasuredPoint> points;
  for (const std::string& file : files) {
    if (is_bench_result(file)) points.push_back(read_bench_result(file, machine, model));
  }
  config::Node node{.value = config::Node::Map{}, .location = {files.front(), 0}};
  if (settings != files.end()) node = config::read_yaml_file(*settings);
  return planning::parse_calibration(config::Section(node), machine, points);
}

planning::Conditions read_conditions(const std::string& file) {
  if (file.empty()) return {};
  return planning::parse_conditions(config::Section(config::read_yaml_file(file)));
}

/// Throws UsageError unless GPUs are those of whole ranks.
void require_whole_ranks(int gpus, int gpus_of_rank, const std::string& what) {
  if (gpus % gpus_of_rank == 0) return;
  throw UsageError(what + ": must be divisible by training.devices_per_process, " +
                   std::to_string(gpus_of_rank) + ": " + std::to_string(gpus));
}

int first_gpus(const PlanOptions& options, const planning::Machine& machine) {
  return options.gpus > 0 ? options.gpus : machine.gpus_per_node;
}

/// Returns the ranks of the first row, before first_scale() checks what they come from.
int first_ranks(const PlanOptions& options, const config::Node& node,
                const planning::Machine& machine) {
  constexpr int kMostRanks = 1 << 20;
  const int gpus_of_rank =
      config::Section(node).section("training").get("devices_per_process", 1, /*documentation=*/"");
  return std::clamp(first_gpus(options, machine) / std::max(1, gpus_of_rank), 1, kMostRanks);
}

/// Returns the GPUs of the first row and training.batch. Throws UsageError.
planning::Scale first_scale(const PlanOptions& options, const training::TrainingConfig& config,
                            const planning::Machine& machine) {
  const int gpus = first_gpus(options, machine);
  if (gpus > machine.gpus_per_node) {
    throw UsageError("--gpus: a node of " + machine.name + " has " +
                     std::to_string(machine.gpus_per_node) + ": " + std::to_string(gpus));
  }
  const int gpus_of_rank = config.devices_per_process;
  require_whole_ranks(machine.gpus_per_node, gpus_of_rank,
                      "--machine: the GPUs of a node of " + machine.name);
  require_whole_ranks(gpus, gpus_of_rank, "--gpus");
  return {.gpus = gpus, .batch = config.batch, .gpus_of_rank = gpus_of_rank};
}

/// Returns what to predict. Throws UsageError or ConfigError.
planning::Question question_of(const PlanOptions& options, const training::RunConfig& config,
                               const planning::Machine& machine) {
  planning::Question question{.mode = planning::mode_of_name(options.mode),
                              .first = first_scale(options, config.training, machine),
                              .kimg = options.kimg};
  const bool is_per_label = question.mode == planning::Mode::kPerLabel;
  if (!is_per_label && question.first.gpus_of_rank > 1) {
    throw UsageError(
        "--mode: must be per_label with training.devices_per_process 2, or set that to 1: " +
        options.mode);
  }
  training::require_shared_batch(config, is_per_label ? 1 : question.first.ranks(),
                                 "GPUs of the first row");
  if (is_per_label) question.first.batch *= question.first.ranks();
  question.gpus = planning::doublings(question.first.gpus, machine, options.nodes);
  return question;
}

std::string title_of(const models::ModelConfig& model, const planning::Question& question,
                     const planning::Machine& machine) {
  const auto [height, width] = model.resolution;
  const int gpus_of_rank = question.first.gpus_of_rank;
  return model.name + " at " + std::to_string(height) + " x " + std::to_string(width) + ", " +
         std::string(planning::name_of(question.mode)) + " scaling on " + machine.name +
         (gpus_of_rank > 1 ? ", " + std::to_string(gpus_of_rank) + " GPUs per label" : "");
}

void write_plot(const PlanOptions& options, const std::string& svg) {
  files::write_file_atomically(options.svg, svg);
  log::info("Wrote the plot", {{"file", options.svg}});
}

/// Prints what was simulated, with what it depends on.
template <class Simulated>
void print_simulated(const PlanOptions& options, const planning::Setting& setting,
                     const std::string& title, const Simulated& simulated) {
  if (options.as_json) {
    nlohmann::ordered_json json = planning::to_json(simulated);
    json["machine"] = planning::to_json(setting.machine);
    json["assumptions"] = planning::to_json(setting.assumptions);
    json["conditions"] = planning::to_json(setting.conditions);
    std::cout << json.dump(2) << "\n";
    return;
  }
  std::cout << title << "\n"
            << planning::to_line(setting.machine) << "\n\n"
            << planning::to_table(simulated) << "\nAssumed\n"
            << planning::to_yaml(setting.assumptions) << planning::to_yaml(setting.conditions);
}

void simulate(const PlanOptions& options, const training::RunConfig& config,
              const planning::Scaling& scaling, const planning::Setting& setting,
              const std::string& title) {
  const planning::SimulatedRuns runs =
      planning::simulate_runs(scaling, setting, config.checkpoint.every_kimg, config.training.seed);
  if (!options.svg.empty()) write_plot(options, planning::to_svg(runs, title));
  print_simulated(options, setting, title, runs);
}

void simulate_schemes(const PlanOptions& options, const training::RunConfig& config,
                      const planning::Scale& scale, const planning::Setting& setting,
                      const std::string& title) {
  const planning::SchemeComparison comparison =
      planning::compare_schemes(setting, scale, planning::kComparedSteps, config.training.seed);
  print_simulated(options, setting, title, comparison);
}

/// Returns the length of the training, or of each label's.
/// total_kimg: of the configuration; 0: neither it nor its presets have one.
double kimg_of(const PlanOptions& options, double total_kimg) {
  constexpr double kUsual = 25'000;
  if (total_kimg == 0) return kUsual;
  if (options.mode != wire::kPerLabel.name) return total_kimg;
  if (options.shapes.labels > 0) return total_kimg / options.shapes.labels;
  log::info(
      "Assuming the length of each label's training; --labels tells how many labels share "
      "training.total_kimg",
      {{"kimg", kUsual}});
  return kUsual;
}

/// Throws UsageError unless the options are possible, and for each other.
/// given: whether the mode is not that of the configured scheme.
void require_consistent(const PlanOptions& options, bool given, const training::RunConfig& config) {
  if (!options.conditions.empty() && !options.simulates && options.scheme.empty()) {
    throw UsageError("--conditions: needs --simulate or --scheme: " + options.conditions);
  }
  if (!options.svg.empty() && options.svg.extension() != ".svg")
    throw UsageError("--svg: a plot is written as .svg: " + options.svg.string());
  if (options.scheme.empty() || options.mode != wire::kPerLabel.name) return;
  const std::string devices =
      config.training.devices_per_process > 1 ? ", and set training.devices_per_process to 1" : "";
  throw UsageError(
      given ? "--scheme auto: compares schemes that train one model; use --mode strong or weak" +
                  devices + ", not: " + options.mode
            : "--scheme auto: the configured scheme is per_label; give --mode strong" + devices);
}

/// Returns the options with what they leave to the configuration.
PlanOptions completed(PlanOptions options, const training::RunConfig& config, double total_kimg) {
  const std::string_view scheme = config.scheme.name;
  const bool mode_is_given = !options.mode.empty();
  if (!mode_is_given) options.mode = scheme == wire::kPerLabel.name ? scheme : "strong";
  require_consistent(options, mode_is_given, config);
  if (options.kimg == 0) options.kimg = kimg_of(options, total_kimg);
  if (scheme == wire::kAsynchronous.name && !options.simulates && options.scheme.empty()) {
    log::info(
        "Predicting the synchronous scheme instead of the configured one; --simulate has both",
        {{"scheme", scheme}});
  }
  return options;
}

ExitCode plan(const PlanOptions& given) {
  const planning::Machine machine = read_machine(given.machine);
  config::Node node = read_config(given.config);
  training::apply_presets(node, first_ranks(given, node, machine));
  const double total_kimg =
      config::Section(node).section("training").get("total_kimg", 0.0, /*documentation=*/"");
  training::RunConfig config =
      training::parse_run(config::Section(std::move(node)), training::schemes());
  const PlanOptions options = completed(given, config, total_kimg);
  if (print_config_if_asked(options.config, config.resolved)) return ExitCode::kOk;
  set_shapes(options.shapes, config.model);
  const planning::Calibration calibration =
      read_calibration(options.calibration, machine, config.model);
  const planning::Conditions conditions = read_conditions(options.conditions);
  const planning::Question question = question_of(options, config, machine);

  const auto images = static_cast<std::int64_t>(question.first.images_per_rank());
  const planning::Workload workload =
      training::count_workload(config, images, cost::device_of_name(machine.device));
  const planning::Assumptions assumptions = planning::fit(calibration, workload, machine);
  const planning::Scaling scaling =
      planning::predict_scaling(question, workload, machine, assumptions);
  const std::string title = title_of(config.model, question, machine);
  const planning::Setting setting{workload, machine, assumptions, conditions};
  if (!options.scheme.empty()) {
    simulate_schemes(options, config, scaling.rows.back().scale, setting, title);
    return ExitCode::kOk;
  }
  if (options.simulates) {
    simulate(options, config, scaling, setting, title);
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
  add_config_file_options(verb, options.config);
  verb.add_option("--machine", options.machine,
                  "Name of a machine, or a YAML file that describes one")
      ->capture_default_str();
  verb.add_option(
      "--mode", options.mode,
      "strong, weak or per_label; default: per_label for that scheme, otherwise strong");
  verb.add_option("--nodes", options.nodes,
                  "Nodes of the last row; the rows before it have 1, 2, 4, ... nodes")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  verb.add_option("--gpus", options.gpus,
                  "GPUs of the first row, doubled up to a full node; default: a full node")
      ->check(positive_integer);
  verb.add_option("--kimg", options.kimg,
                  "Length of the training, or of each label's training, in thousands of images; "
                  "default: training.total_kimg, for per_label divided by --labels; 25000 if the "
                  "configuration has none")
      ->check(positive_number);
  verb.add_option("--calibrate", options.calibration,
                  "YAML file of measurements, or results of ganscale bench --json (*.json)")
      ->type_name("FILE...");
  auto* simulate = verb.add_flag("--simulate", options.simulates,
                                 "Simulate the schemes, and runs with failures and checkpoints");
  verb.add_option("--conditions", options.conditions,
                  "YAML file of failure rates and delays for --simulate and --scheme")
      ->type_name("FILE");
  auto* svg = verb.add_option("--svg", options.svg, "SVG file to write")->type_name("FILE");
  verb.add_option("--scheme", options.scheme,
                  "auto: simulate synchronous and asynchronous on the GPUs of the last row, and "
                  "name the faster")
      ->check(CLI::IsMember({"auto"}))
      ->excludes(simulate)
      ->excludes(svg);
  add_shape_options(verb, options.shapes);
  verb.get_option("--labels")
      ->description(
          "Number of labels in the data: of a conditional model (default: 10), or, with --mode "
          "per_label, of those that training.total_kimg is divided among");
  verb.add_flag("--json", options.as_json, "Print JSON instead of tables");
}

}  // namespace ganscale::cli
