#include "cli/options/config_options.h"

#include <CLI/App.hpp>
#include <CLI/CLI.hpp>
#include <iostream>

#include "base/log.h"
#include "cli/options/find_config.h"
#include "cli/options/number_checks.h"
#include "comm/backends/launcher.h"
#include "models/build_model.h"

namespace ganscale::cli {

void add_config_file_options(CLI::App& verb, ConfigOptions& options) {
  verb.add_option(
          "--config", options.file,
          "YAML file of the run, or the name of a configuration that comes with ganscale, such "
          "as demo (an unknown name lists them all)")
      ->type_name("FILE");
  verb.add_option("--set", options.assignments,
                  "Override one key: --set data.path=/data/faces; repeatable")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_flag("--print-config", options.print_config,
                "Print the resolved configuration and stop");
}

void add_config_options(CLI::App& verb, ConfigOptions& options) {
  add_config_file_options(verb, options);
  verb.add_flag("--dry-run", options.dry_run,
                "Check configuration, data and devices, and stop before training");
}

config::Node read_config(const ConfigOptions& options) {
  config::Node node{.value = config::Node::Map{}, .location = {"command line", 0}};
  if (!options.file.empty())
    node = config::read_yaml_file(find_config(options.file, config_folders()));
  for (const auto& assignment : options.assignments) {
    config::overlay(node, config::parse_assignment(assignment));
  }
  return node;
}

bool print_config_if_asked(const ConfigOptions& options, const std::string& resolved) {
  if (options.print_config && comm::launched_rank() == 0) std::cout << resolved;
  return options.print_config;
}

void add_shape_options(CLI::App& verb, ShapeOptions& options) {
  verb.add_option("--channels", options.channels, "Channels of the images")
      ->check(CLI::IsMember({1, 3}))
      ->capture_default_str();
  verb.add_option("--labels", options.labels,
                  "Number of labels of a conditional model; default: 10")
      ->check(non_negative_integer);
}

void set_shapes(const ShapeOptions& options, models::ModelConfig& model) {
  constexpr int kAssumedLabels = 10;
  model.channels = options.channels;
  model.label_count = models::takes_labels(model) ? options.labels : 0;
  if (!models::takes_labels(model) || options.labels > 0) return;
  model.label_count = kAssumedLabels;
  log::info("Assuming a number of labels; --labels sets it", {{"labels", kAssumedLabels}});
}

}  // namespace ganscale::cli
