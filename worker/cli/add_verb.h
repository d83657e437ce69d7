#pragma once

#include <functional>
#include <memory>

#include "cli/verbs.h"

namespace ganscale::cli {

/// What --help prints of a verb.
struct VerbText {
  const char* name;
  const char* description;
  const char* footer;  ///< below the options: examples
};

/// Adds a verb without options, which calls `choose` if the user chooses it.
CLI::App& add_verb(CLI::App& app, const VerbText& text, std::function<void()> choose);

/// A verb, and the options that the command line sets. Both live as long as the command line.
template <class Options>
struct Verb {
  CLI::App& verb;
  Options& options;
};

/// Adds a verb that runs with its options, which are at their defaults.
template <class Options>
Verb<Options> add_verb(CLI::App& app, Action& action, const VerbText& text,
                       ExitCode (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  CLI::App& verb = add_verb(
      app, text, [options, run, &action] { action = [options, run] { return run(*options); }; });
  return {verb, *options};
}

}  // namespace ganscale::cli
