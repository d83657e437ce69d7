#include "cli/options/find_config.h"

#include <algorithm>

#include "base/error.h"
#include "base/joined.h"
#include "cli/options/beside_program.h"
#include "training/run/built_in_presets.h"

namespace ganscale::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".yaml";

/// Returns the names of the configurations in a folder: "mnist-dcgan", "dcgan/mnist".
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != kEnding) continue;
    fs::path name = entry.path().lexically_relative(folder);
    names.push_back(name.replace_extension().generic_string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::vector<fs::path> config_folders() {
  return beside_program({"../share/ganscale/runs", "../../../configs/runs"});
}

fs::path find_config(const std::string& name, const std::vector<fs::path>& folders) {
  if (name.ends_with(kEnding) || (fs::exists(name) && !fs::is_directory(name))) return name;
  std::vector<std::string> known;
  for (const fs::path& folder : folders) {
    const std::vector<std::string> names = names_in(folder);
    if (std::ranges::find(names, name) != names.end()) return folder / (name + kEnding);
    known.insert(known.end(), names.begin(), names.end());
  }
  if (training::model_presets().contains(name)) {
    throw ConfigError(
        "--config: a preset of a model, not a configuration; replace it by --set model.preset=" +
        name);
  }
  throw ConfigError(
      "--config: neither a file nor one of the configurations that come with ganscale "
      "(" +
      joined(known) + "): " + name);
}

}  // namespace ganscale::cli
