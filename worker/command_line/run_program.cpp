#include "command_line/run_program.h"

#include <CLI/CLI.hpp>
#include <new>

#include "base/log.h"

namespace ganscale::command_line {
namespace {

/// Returns the exit code if there is nothing to run.
int parse(CLI::App& app, int argc, char** argv, const std::function<void()>& before_user_error) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!asked_for_help) before_user_error();
    app.exit(error);
    return asked_for_help ? 0 : static_cast<int>(ExitCode::kUsage);
  }
}

ExitCode run(const Action& action, const std::function<void()>& before_user_error) {
  try {
    return action();
  } catch (const Error& error) {
    const bool of_the_user = error.code() == ExitCode::kUsage || error.code() == ExitCode::kConfig;
    if (of_the_user) before_user_error();
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
