#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "cli/add_verb.h"
#include "cli/options/config_options.h"
#include "cli/options/fabric_options.h"
#include "cli/this_build.h"
#include "cli/verbs.h"
#include "comm/backends/launcher.h"
#include "config/renamed.h"
#include "config/section.h"
#include "cost/device_table.h"
#include "data/sources/open_source.h"
#include "data/sources/retrying_source.h"
#include "device/cpu_quota.h"
#include "device/gpu.h"
#include "device/select_device.h"
#include "training/bench/layout_report.h"
#include "training/run/parse_run.h"
#include "training/run/presets.h"
#include "training/run/run_folder.h"
#include "training/schemes/schemes.h"
#include "training/session/check_config.h"
#include "training/session/session.h"
#include "training/suggestion/suggest_config.h"
#include "wire/names.h"

namespace ganscale::cli {
namespace {

struct TrainOptions {
  ConfigOptions config;
  std::string data;
  std::string run = "runs/run";
  std::string log_format = "text";
  std::string resume_weights;
  bool check_config = false;
  int world_size = comm::launched_world_size();
  std::string preflight = "off";
  comm::FabricRequirements fabric;
  bool prints_layout = false;
  std::string layout_device;  ///< empty: what the run computes on
  ShapeOptions shapes;
};

constexpr auto kTrainExample =
    "\n"
    "Examples:\n"
    "  ganscale train --data photos/ --run runs/photos     # chooses a configuration\n"
    "  ganscale train --config demo --data faces --run runs/r1\n"
    "  mpirun -n 8 ganscale train --config my.yaml --set training.batch=256 --run runs/faces\n"
    "  ganscale train --config my.yaml --print-config      # all keys with values and "
    "documentation\n"
    "  ganscale train --config my.yaml --print-layout --device H200   # of each layer; needs no "
    "data\n"
    "  ganscale train --config my.yaml --check-config --world-size 64   # needs no data and no "
    "GPU\n"
    "\n"
    "A configuration is a YAML file. --print-config shows the defaults of keys that it omits:\n"
    "  model: {name: stylegan2, preset: config-f, resolution: 256}\n"
    "  data: {path: faces}                       # see ganscale data convert --help\n"
    "  training: {batch: 32, total_kimg: 25000}  # thousands of images to train on\n"
    "  checkpoint: {every_kimg: 100}\n"
    "  evaluate: {metrics: [fid50k], every_kimg: 1000, feature_net: inception.pt}\n"
    "\n"
    "The run folder has samples/, stats.jsonl, checkpoints/ and more. ganscale report\n"
    "summarizes it on a page; ganscale generate makes images.\n"
    "\n"
    "If the run folder has checkpoints, training resumes. On SIGTERM, SIGUSR1 or Ctrl-C, also to\n"
    "`ganscale launch`, it writes a checkpoint and ends with exit code 143. If you started mpirun\n"
    "yourself, send it SIGUSR1: after SIGTERM or Ctrl-C mpirun gives the ranks one second and\n"
    "ends with 1.";

/// Returns the device of the table that a run is for; any GPU is taken for an H200.
std::string device_for(device::DeviceKind kind) {
  const bool takes_gpu = kind == device::DeviceKind::kGpu ||
                         (kind == device::DeviceKind::kAuto && device::visible_gpu_count() > 0);
  return takes_gpu ? "H200" : "CPU-core";
}

void print_layout(const TrainOptions& options, training::RunConfig config) {
  const std::string name =
      options.layout_device.empty() ? device_for(config.training.device) : options.layout_device;
  set_shapes(options.shapes, config.model);
  if (comm::launched_rank() != 0) return;
  std::cout << training::to_table(
      training::report_layout(std::move(config), cost::device_of_name(name)));
}

/// Returns the model that a configuration names, itself or by a preset; empty if it names none.
std::string model_in(config::Node node, int world_size) {
  training::apply_presets(node, world_size);
  return config::Section(std::move(node)).section("model").get("name", "", "");
}

/// Throws UsageError if --set names another model than the configuration that was chosen for the
/// dataset: its values suit its own model alone.
void require_chosen_model(const TrainOptions& options, const config::Node& chosen,
                          const config::Node& set) {
  const std::string model = model_in(chosen, options.world_size);
  const std::string wanted = model_in(set, options.world_size);
  const bool same_networks = model.ends_with(wanted) || wanted.ends_with(model);  // conditional_
  if (same_networks) return;
  throw UsageError("--set names the model " + wanted +
                   ", but --data without --config chooses the model itself, here " + model +
                   "; replace --data by --set data.path=" + options.data +
                   " --set data.fit=resize --set model.resolution=PIXELS");
}

/// Returns a configuration for a dataset, which it prints. set: what the user lays over it.
config::Node suggested_config(const TrainOptions& options, const config::Node& set) {
  const auto source = data::retrying(data::open_source(options.data));
  const std::string yaml = training::suggest_config(options.data, training::survey(*source),
                                                    {.has_gpu = device::visible_gpu_count() > 0,
                                                     .cores = device::container_cores(),
                                                     .ranks = comm::launched_world_size()});
  config::Node chosen = config::parse_yaml(yaml, "the chosen configuration");
  require_chosen_model(options, chosen, set);
  if (comm::launched_rank() == 0) {
    log::info(
        "Chose a configuration for this dataset; to change it, save it to a file for --config");
    std::cerr << yaml;
  }
  return chosen;
}

std::filesystem::path config_file_of_run(const TrainOptions& options) {
  return training::RunFolder(options.run).config();
}

config::Node read_config_of_run(const TrainOptions& options) {
  return config::with_new_names(config::read_yaml_file(config_file_of_run(options)));
}

/// Returns the configuration of a run that is already there, so that it resumes as it began,
/// whatever the ranks, GPUs and cores are now; a configuration for the dataset if there is none.
config::Node config_without_file(const TrainOptions& options, const config::Node& set) {
  const std::filesystem::path file = config_file_of_run(options);
  if (!std::filesystem::exists(file)) return suggested_config(options, set);
  if (comm::launched_rank() == 0) {
    log::info(
        "Taking the configuration of the run that is already there; for another one, choose a new "
        "folder with --run, or name a file with --config",
        {{"file", file}});
  }
  return read_config_of_run(options);
}

/// Has the preset auto choose as it did when a run that is already there was last started, whatever
/// the number of ranks is now.
void keep_choices(const TrainOptions& options, config::Node& node) {
  const std::filesystem::path file = config_file_of_run(options);
  if (!training::names_auto(node) || !std::filesystem::exists(file)) return;
  const bool keeps = training::keep_choices(node, read_config_of_run(options));
  if (!keeps || comm::launched_rank() != 0) return;
  log::info(
      "Taking training.batch and model.mbstd_group from the run where this configuration does not "
      "set them",
      {{"file", file}});
}

/// Returns what the options say, with --data over the file and under --set.
config::Node read_node(const TrainOptions& options, ConfigOptions from) {
  if (options.data.empty()) return read_config(from);
  ConfigOptions assigning;
  assigning.assignments = std::exchange(from.assignments, {});
  const config::Node set = read_config(assigning);
  config::Node node = from.file.empty() ? config_without_file(options, set) : read_config(from);
  config::overlay(node, config::nest("data.path", {options.data, {"--data", 0}}));
  config::overlay(node, set);
  return node;
}

/// Returns the configuration for this number of ranks, on which presets may depend.
training::RunConfig read_run_config(const TrainOptions& options) {
  ConfigOptions from = options.config;
  if (!options.resume_weights.empty())
    from.assignments.push_back("training.resume_weights=" + options.resume_weights);
  config::Node node = read_node(options, std::move(from));
  keep_choices(options, node);
  training::apply_presets(node, options.world_size);
  return training::parse_run(config::Section(std::move(node)), training::schemes());
}

ExitCode check_only(const training::RunConfig& config, int world_size) {
  training::check_config(config, world_size);
  if (comm::launched_rank() != 0) return ExitCode::kOk;
  log::info("The configuration is valid, as far as can be known without data and devices",
            {{"model", config.model.name},
             {"resolution", short_text_of(config.model.resolution)},
             {"batch", config.training.batch},
             {"ranks", world_size}});
  return ExitCode::kOk;
}

ExitCode train(const TrainOptions& options) {
  log::set_format(options.log_format == "json" ? log::Format::kJson : log::Format::kText);
  training::RunConfig config = read_run_config(options);
  if (print_config_if_asked(options.config, config.resolved)) return ExitCode::kOk;
  if (options.check_config) return check_only(config, options.world_size);
  if (options.prints_layout) {
    print_layout(options, std::move(config));
    return ExitCode::kOk;
  }
  return training::run_session(
      std::move(config), training::RunFolder(options.run), {this_build(), typed_command_line()},
      {.dry_run = options.config.dry_run,
       .fabric = {.mode = value_in(training::kPreflightModes, options.preflight).value(),
                  .required = options.fabric}});
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  const auto [verb, options] =
      add_verb(app, action,
               {"train", "Train a GAN, as a single process or under mpirun", kTrainExample}, train);
  add_config_options(verb, options.config);
  verb.add_option(
          "--data", options.data,
          "Dataset: images in a folder (in class folders, if they have labels), a zip, tar, "
          "IDX, Parquet or TFRecord files; without --config, also chooses a configuration for it, "
          "unless the run folder has one")
      ->type_name("PATH");
  verb.add_option("--run", options.run, "Run folder: checkpoints, samples, statistics")
      ->type_name("DIR")
      ->capture_default_str();
  verb.add_option(
          "--resume-weights", options.resume_weights,
          "Checkpoint or run to initialize the weights of a new run from (transfer learning)")
      ->type_name("DIR");
  auto* check = verb.add_flag("--check-config", options.check_config,
                              "Check the configuration without data and devices, and stop");
  verb.add_option("--world-size", options.world_size,
                  "Number of ranks to check for; default: the launcher's number")
      ->type_name("RANKS")
      ->needs(check)
      ->check(CLI::Range(1, 1 << 20));
  auto* prints_layout = verb.add_flag(
      "--print-layout", options.prints_layout,
      "Print type, memory layout, padded channels and expected use of matrix units of each layer, "
      "and stop; needs no data");
  verb.add_option("--device", options.layout_device,
                  "Device to print the layout for: " + cost::names_of_devices() +
                      "; default: CPU-core, or H200 if the run uses a GPU")
      ->needs(prints_layout);
  add_shape_options(verb, options.shapes);
  for (const char* shape : {"--channels", "--labels"}) verb.get_option(shape)->needs(prints_layout);
  auto* preflight =
      verb.add_option(
              "--preflight", options.preflight,
              "First measure the network between the ranks, as the verb preflight does: warn, "
              "or require (exits with 69 if the bandwidth is below --floor or a node has fewer "
              "than --hcas HCAs)")
          ->envname(wire::environment::kPreflight)
          ->check(CLI::IsMember({"off", "warn", "require"}))
          ->capture_default_str();
  add_fabric_options(verb, options.fabric);
  for (const char* name : {"--floor", "--hcas"}) {
    CLI::Option* required = verb.get_option(name);
    // The environment of a node may have them for the runs with a preflight.
    if (std::getenv(required->get_envname().c_str()) == nullptr) required->needs(preflight);
  }
  verb.add_option("--log-format", options.log_format, "text, or json: one object per line")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

}  // namespace ganscale::cli
