#include "command_line/run_program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/joined.h"
#include "base/log.h"
#include "base/nearest.h"

namespace ganscale::command_line {
namespace {

using Arguments = std::vector<std::string>;

constexpr std::string_view kDashes = "--";

/// Returns the arguments with `help VERB` and `version` spelled as options; --help where there are
/// none.
Arguments with_options(Arguments arguments) {
  if (arguments.empty() || arguments == Arguments{"help"}) return {"--help"};
  if (arguments == Arguments{"version"}) return {"--version"};
  if (arguments.front() != "help") return arguments;
  std::ranges::rotate(arguments, arguments.begin() + 1);
  arguments.back() = "--help";
  return arguments;
}

/// Returns the first argument that is in the place of a verb but is not one, with the verbs that
/// it may mean; empty without one.
std::string unknown_verb(const CLI::App& app, const Arguments& arguments) {
  const CLI::App* parent = &app;
  for (const std::string& argument : arguments) {
    std::vector<std::string> verbs;
    for (const CLI::App* verb : parent->get_subcommands([](const CLI::App*) { return true; })) {
      verbs.push_back(verb->get_name());
    }
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

/// Returns the verb that was given arguments which it does not know, or the program itself.
const CLI::App& with_extras(const CLI::App& app) {
  const CLI::App* verb = &app;
  while (verb->remaining_size() == 0 && !verb->get_subcommands().empty())
    verb = verb->get_subcommands().front();
  return *verb;
}

/// Returns the option of a verb that a misspelled one may mean. The dashes, which all have, do not
/// make two options alike.
std::optional<std::string> option_meant(const CLI::App& verb, const std::string& argument) {
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  const std::string option = argument.substr(0, argument.find('='));
  const auto meant = nearest(option.substr(kDashes.size()), known);
  return meant ? std::optional(std::string(kDashes) + *meant) : std::nullopt;
}

/// Returns the arguments that no verb knows, in the order in which they were typed, with what the
/// first that looks like an option may mean.
std::string unexpected_arguments(const CLI::App& app, const Reporting& reporting) {
  const CLI::App& verb = with_extras(app);
  const std::vector<std::string> extras = verb.remaining();
  std::string text = extras.size() > 1 ? "unexpected arguments: " : "unexpected argument: ";
  text += joined(extras, " ");
  std::string advice;
  for (const std::string& argument : extras) {
    if (!argument.starts_with(kDashes)) continue;
    if (const auto meant = option_meant(verb, argument))
      return text + " (did you mean " + *meant + "?)";
    advice = reporting.about_unknown_option(verb);
  }
  return advice.empty() ? text : text + " (" + advice + ")";
}

/// Returns what is wrong with a command line.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error,
                        const Reporting& reporting) {
  const bool has_extras = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  return (has_extras ? unexpected_arguments(app, reporting) : error.what()) +
         "\nRun with --help for more information.";
}

/// Returns the exit code if there is nothing to run.
int parse(CLI::App& app, const Arguments& arguments, const Reporting& reporting) {
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));  // the last one first, for CLI11
    return 0;
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_verb(app, arguments);
    const bool asked_for_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (asked_for_help && unknown.empty()) {
      if (reporting.prints_help) app.exit(error);
      return 0;
    }
    reporting.before_user_error();
    log::error(unknown.empty() ? usage_error(app, error, reporting) : unknown);
    return static_cast<int>(ExitCode::kUsage);
  }
}

/// What log_error() does first while the action runs; empty at other times.
std::function<void()>& before_user_error() {
  static std::function<void()> of_program;
  return of_program;
}

void prepare_to_report(const Error& error) {
  const bool is_ours = error.code() == ExitCode::kBug || error.code() == ExitCode::kPeerLost;
  if (!is_ours && before_user_error()) before_user_error()();
}

ExitCode run(const Action& action) {
  try {
    return action();
  } catch (const std::exception&) {
    return log_error();
  }
}

/// Returns whether the error that is being handled is another one than at the last call. It is
/// kept, so that a later one is not mistaken for it.
bool is_another_error() {
  static std::exception_ptr last;
  const std::exception_ptr current = std::current_exception();
  return std::exchange(last, current) != current;
}

}  // namespace

ExitCode log_error() {
  const bool is_new = is_another_error();
  const auto write = [is_new](std::string_view message, log::Pairs pairs) {
    if (is_new) log::error(message, pairs);
  };
  try {
    throw;
  } catch (const Error& error) {
    if (is_new) prepare_to_report(error);
    if (error.code() == ExitCode::kPeerLost) {
      // Who started the ranks may look for the exit code, as of a watchdog.
      write(error.what(), {{"exit_code", static_cast<int>(error.code())}});
    } else {
      write(error.what(), {});
    }
    return error.code();
  } catch (const std::filesystem::filesystem_error& error) {
    write(error.what(), {});
    return ExitCode::kData;
  } catch (const std::bad_alloc&) {
    write("out of memory: use a smaller batch or fewer prefetched batches", {});
    return ExitCode::kBug;
  } catch (const std::exception& error) {
    write("unexpected error", {{"what", error.what()}});
    return ExitCode::kBug;
  }
}

int run_program(CLI::App& app, const Action& action, int argc, char** argv,
                const Reporting& reporting) {
  const std::span given(argv, static_cast<std::size_t>(argc));
  const Arguments arguments = with_options({given.begin() + 1, given.end()});
  const int usage = parse(app, arguments, reporting);
  if (usage != 0 || !action) return usage;
  before_user_error() = reporting.before_user_error;
  const ExitCode code = run(action);
  before_user_error() = nullptr;  // it may refer to what the caller has
  return static_cast<int>(code);
}

}  // namespace ganscale::command_line
