#pragma once

#include <functional>

#include "base/error.h"

namespace CLI {
class App;
}

namespace ganscale::cli {

/// What main() runs once the command line was read.
using Action = std::function<ExitCode()>;

/// Each function adds one verb to the command line; when the user chose it, `action` is what it
/// does. One file a verb: add_train() in train.cpp, and so on. Options that two verbs share are in
/// config_options.h.
void add_config_schema(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_data_variability(CLI::App& data, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_project(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);

}  // namespace ganscale::cli
