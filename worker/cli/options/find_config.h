#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ganscale::cli {

/// Returns the folders with the run configurations that come with this program, as far as they are there:
/// those installed with it in share/ganscale/runs, or configs/runs of the checkout that it was built in.
std::vector<std::filesystem::path> config_folders();

/// Returns the file of --config: `name` itself if that is a file or ends in .yaml; otherwise the
/// configuration of this name in one of the folders, such as "demo" or "dcgan/mnist".
///
/// Throws: ConfigError with all names if there is none; of a preset's name, with how to use one.
std::filesystem::path find_config(const std::string& name,
                                  const std::vector<std::filesystem::path>& folders);

}  // namespace ganscale::cli
