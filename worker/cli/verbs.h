#pragma once

#include <array>
#include <string_view>

#include "command_line/run_program.h"

namespace CLI {
class App;
}

namespace ganscale::cli {

using command_line::Action;

/// The verbs that `launch` starts with mpirun.
inline constexpr std::array<std::string_view, 4> kLaunchedVerbs{"train", "evaluate", "bench",
                                                                "preflight"};

/// Each function adds a verb to the command line, which sets `action` if the user chooses it. One
/// file per verb: add_train() in train.cpp, and so on. Options shared by verbs are in
/// config_options.h.
void add_bench(CLI::App& app, Action& action);
void add_config_schema(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_data_variability(CLI::App& data, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_launch(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_preflight(CLI::App& app, Action& action);
void add_project(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);

}  // namespace ganscale::cli
