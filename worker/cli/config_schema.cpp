#include <CLI/App.hpp>
#include <iostream>

#include "cli/verbs.h"
#include "config/schema.h"
#include "training/run/parse_run.h"
#include "training/schemes/schemes.h"

namespace ganscale::cli {
namespace {

constexpr auto kConfigSchemaExample =
    "\nExample:\n"
    "  ganscale config-schema > worker-schema.json      # for the operator's workerSchema";

ExitCode print_schema() {
  const auto parse = [](const config::Section& root) {
    training::parse_run(root, training::scheme_keys(training::schemes()));
  };
  std::cout << config::to_json_schema(config::all_entries(parse));
  return ExitCode::kOk;
}

}  // namespace

void add_config_schema(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("config-schema", "Print the JSON schema of the run configuration");
  verb->footer(kConfigSchemaExample);
  verb->callback([&action] { action = print_schema; });
}

}  // namespace ganscale::cli
