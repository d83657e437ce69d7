#include "cli/add_verb.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace ganscale::cli {

CLI::App& add_verb(CLI::App& app, const VerbText& text, std::function<void()> choose) {
  CLI::App* verb = app.add_subcommand(text.name, text.description);
  verb->footer(text.footer);
  verb->callback(std::move(choose));
  return *verb;
}

}  // namespace ganscale::cli
