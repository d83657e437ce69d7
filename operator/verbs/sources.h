#pragma once

#include <string>

#include "gan_training/spec/node_profile.h"
#include "gan_training/spec/worker_schema.h"

namespace CLI {
class App;
}

namespace ganscale::controller {

using gan_training::NodeProfiles;
using gan_training::WorkerSchema;

/// Options shared by the verbs that need node profiles and the worker's schema.
struct SourceOptions {
  std::string profiles_folder;
  std::string schema_file;
  bool unlimited_memlock = false;  ///< pods may lock any memory, as any user
};

/// Adds --node-profiles, --worker-schema and --unlimited-memlock.
void add_source_options(CLI::App& verb, SourceOptions& options);

/// The built-in profiles and the folder's, without `ipcLock` if nothing needs it. Throws
/// ConfigError.
NodeProfiles read_profiles(const SourceOptions& options);
/// The schema of the file, or the built-in one. Throws ConfigError.
WorkerSchema read_schema(const SourceOptions& options);

}  // namespace ganscale::controller
