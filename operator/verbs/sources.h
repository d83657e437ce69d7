#pragma once

#include <string>
#include <vector>

#include "api/gan_training.h"
#include "api/worker_schema.h"

namespace CLI {
class App;
}

namespace ganscale::controller {

/// The options of every verb that must know profiles and the worker's configuration.
struct SourceOptions {
  std::string profiles_folder;
  std::string schema_file;
};

/// Adds --node-profiles and --worker-schema.
void add_source_options(CLI::App& verb, SourceOptions& options);

/// The built-in profiles and those of the folder. Throws ConfigError.
NodeProfiles read_profiles(const SourceOptions& options);
/// The schema of the file, or the built-in one. Throws ConfigError.
WorkerSchema read_schema(const SourceOptions& options);

/// Reads every GanTraining of a file of YAML. Throws ConfigError if there is none, or another kind.
std::vector<GanTraining> read_trainings(const std::string& file);

}  // namespace ganscale::controller
