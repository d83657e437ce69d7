#include "cli/options/run_argument.h"

#include <CLI/CLI.hpp>

namespace ganscale::cli {

void add_run_argument(CLI::App& verb, std::filesystem::path& run) {
  CLI::Option* argument = verb.add_option("run", run, "folder of the run");
  argument->required()->type_name("DIR");
  argument->configurable(false);  // a newer CLI11 else refuses an option of the same name
  constexpr const char* kHidden = "";
  verb.add_option("--run", run)
      ->group(kHidden)
      ->type_name("DIR")
      ->check([argument](const std::string&) {
        argument->required(false);  // this is it
        if (argument->count() > 0) throw CLI::ExcludesError("--run", "run");
        return std::string();
      });
}

}  // namespace ganscale::cli
