#include "cli/options/config_options.h"

#include <CLI/App.hpp>
#include <CLI/CLI.hpp>

#include "models/build_model.h"

namespace ganscale::cli {

void add_config_options(CLI::App& verb, ConfigOptions& options) {
  verb.add_option("--config", options.file,
                  "YAML file of the run, for example configs/runs/demo-emoji32.yaml")
      ->type_name("FILE");
  verb.add_option("--set", options.assignments,
                  "Override one key: --set data.path=/data/faces; repeatable")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_flag("--print-config", options.print_config,
                "Print the resolved configuration and stop");
  verb.add_flag("--dry-run", options.dry_run,
                "Check configuration, data and devices, and stop before training");
}

config::Node read_config(const ConfigOptions& options) {
  config::Node node{.value = config::Node::Map{}, .location = {"command line", 0}};
  if (!options.file.empty()) node = config::read_yaml_file(options.file);
  for (const auto& assignment : options.assignments) {
    config::overlay(node, config::parse_assignment(assignment));
  }
  return node;
}

void add_shape_options(CLI::App& verb, ShapeOptions& options) {
  verb.add_option("--channels", options.channels, "Channels of the images")
      ->check(CLI::IsMember({1, 3}))
      ->capture_default_str();
  verb.add_option("--labels", options.labels, "Number of labels, for a conditional model")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

void set_shapes(const ShapeOptions& options, models::ModelConfig& model) {
  model.channels = options.channels;
  model.label_count = models::takes_labels(model) ? options.labels : 0;
}

}  // namespace ganscale::cli
