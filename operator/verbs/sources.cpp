#include "verbs/sources.h"

#include <CLI/App.hpp>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "gan_training/spec/built_in.h"
#include "object/yaml.h"

namespace ganscale::controller {

using namespace gan_training;

void add_source_options(CLI::App& verb, SourceOptions& options) {
  verb.add_option("--node-profiles", options.profiles_folder,
                  "Folder with NAME.yaml: node profiles in addition to the built-in ones")
      ->type_name("DIR");
  verb.add_option("--worker-schema", options.schema_file,
                  "Output of the worker image's `ganscale config-schema`; default: built in")
      ->type_name("FILE");
  verb.add_flag(
      "--unlimited-memlock", options.unlimited_memlock,
      "The container runtime lets pods lock any amount of memory (LimitMEMLOCK=infinity), so pods "
      "on node profiles with ipcLock run as user 1000, too");
}

NodeProfiles read_profiles(const SourceOptions& options) {
  NodeProfiles profiles = built_in_node_profiles();
  if (!options.profiles_folder.empty()) add_node_profiles(profiles, options.profiles_folder);
  if (options.unlimited_memlock) {
    for (auto& [name, profile] : profiles) profile.ipc_lock = false;
  }
  return profiles;
}

WorkerSchema read_schema(const SourceOptions& options) {
  if (options.schema_file.empty()) return WorkerSchema(built_in_worker_schema());
  std::ifstream file(options.schema_file);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw ConfigError("can't read the worker's schema: " + options.schema_file);
  return WorkerSchema(text.str());
}

}  // namespace ganscale::controller
