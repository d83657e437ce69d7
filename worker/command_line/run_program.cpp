#include "command_line/run_program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "base/joined.h"
#include "base/log.h"
#include "base/nearest.h"

namespace ganscale::command_line {
namespace {

/// Returns the first argument that stands where a verb should and is none, with the verbs that it
/// may have meant; empty without one.
std::string unknown_verb(const CLI::App& app, int argc, char** argv) {
  const CLI::App* parent = &app;
  for (int i = 1; i < argc; ++i) {
    std::vector<std::string> verbs;
    for (const CLI::App* verb : parent->get_subcommands([](const CLI::App*) { return true; })) {
      verbs.push_back(verb->get_name());
    }
    const std::string argument = argv[i];
    if (verbs.empty() || argument.starts_with('-')) return {};
    if (std::ranges::find(verbs, argument) != verbs.end()) {
      parent = parent->get_subcommand(argument);
      continue;
    }
    const auto meant = nearest(argument, verbs);
    return "unknown verb: " + argument +
           (meant ? " (did you mean " + *meant + "?)" : " (known: " + joined(verbs) + ")");
  }
  return {};
}

/// Returns the exit code if there is nothing to run.
int parse(CLI::App& app, int argc, char** argv, const std::function<void()>& before_user_error) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!asked_for_help) before_user_error();
    const auto unknown = asked_for_help ? std::string() : unknown_verb(app, argc, argv);
    if (asked_for_help) {
      app.exit(error);
    } else if (unknown.empty()) {
      log::error(std::string(error.what()) + "\nRun with --help for more information.");
    } else {
      log::error(unknown);
    }
    return asked_for_help ? 0 : static_cast<int>(ExitCode::kUsage);
  }
}

ExitCode run(const Action& action, const std::function<void()>& before_user_error) {
  try {
    return action();
  } catch (const Error& error) {
    const bool is_ours = error.code() == ExitCode::kBug || error.code() == ExitCode::kPeerLost;
    if (!is_ours) before_user_error();
    log::error(error.what());
    return error.code();
  } catch (const std::bad_alloc&) {
    log::error("out of memory: use a smaller batch or fewer prefetched batches");
    return ExitCode::kBug;
  } catch (const std::exception& error) {
    log::error("unexpected error", {{"what", error.what()}});
    return ExitCode::kBug;
  }
}

}  // namespace

int run_program(CLI::App& app, const Action& action, int argc, char** argv,
                const std::function<void()>& before_user_error) {
  const int usage = parse(app, argc, argv, before_user_error);
  if (usage != 0 || !action) return usage;
  return static_cast<int>(run(action, before_user_error));
}

}  // namespace ganscale::command_line
