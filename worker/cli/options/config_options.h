#pragma once

#include <string>
#include <vector>

#include "config/node.h"
#include "models/contract/model.h"

namespace CLI {
class App;
}
namespace ganscale::cli {

/// The options of verbs that read a run configuration.
struct ConfigOptions {
  std::string file;
  std::vector<std::string> assignments;  ///< --set key=value; the last one wins
  bool print_config = false;
  bool dry_run = false;
};

/// Adds --config, --set and --print-config.
void add_config_file_options(CLI::App& verb, ConfigOptions& options);

/// Adds --config, --set, --print-config and --dry-run.
void add_config_options(CLI::App& verb, ConfigOptions& options);

/// Reads the file and applies the assignments. Throws ConfigError or UsageError.
config::Node read_config(const ConfigOptions& options);

/// Prints the resolved configuration if --print-config asks for it, on rank 0. Returns whether it
/// is asked for: then the verb is done.
bool print_config_if_asked(const ConfigOptions& options, const std::string& resolved);

/// What verbs that work without a dataset must be given in its place.
struct ShapeOptions {
  int channels = 3;
  int labels = 0;
};

/// Adds --channels and --labels.
void add_shape_options(CLI::App& verb, ShapeOptions& options);

/// Sets what a model takes from its dataset. Without --labels, one with labels has ten, and the log
/// says so.
void set_shapes(const ShapeOptions& options, models::ModelConfig& model);

}  // namespace ganscale::cli
