#pragma once

#include <filesystem>

namespace CLI {
class App;
}
namespace ganscale::cli {

/// Adds the folder of a run as the argument of a verb. The verb takes it as --run, too, as others
/// do, but does not list that.
void add_run_argument(CLI::App& verb, std::filesystem::path& run);

}  // namespace ganscale::cli
