#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/verbs.h"

namespace ganscale::cli {
namespace {

constexpr auto kOperator = "ganscale-operator";
constexpr auto kReportExample =
    "\nExample:\n  kubectl get scalingsweep weak -o json >weak.json\n"
    "  ganscale sweep report -f weak.json --out weak/\n\n"
    "All options: ganscale-operator report --help";

/// Becomes `ganscale-operator VERB WORDS...`, whose program is next to this one or on PATH. Throws
/// ConfigError.
[[noreturn]] void become_operator(std::string verb, std::vector<std::string> words) {
  std::string name = kOperator;
  std::vector<char*> arguments{name.data(), verb.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / kOperator;
  ::execv(beside.c_str(), arguments.data());
  ::execvp(kOperator, arguments.data());
  throw ConfigError(
      "cannot run ganscale-operator, which writes the report of a sweep: it is neither next to "
      "this program (" +
      beside.string() + ") nor on PATH");
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto* sweep = app.add_subcommand("sweep", "Read the results of a ScalingSweep");
  sweep->require_subcommand(1);
  auto* report = sweep->add_subcommand("report",
                                       "Write the report of a ScalingSweep; the same as "
                                       "`ganscale-operator report`, with the same options");
  report->footer(kReportExample);
  report->prefix_command();
  report->callback([report, &action] {
    action = [report]() -> ExitCode { become_operator(report->get_name(), report->remaining()); };
  });
}

}  // namespace ganscale::cli
