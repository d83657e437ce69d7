#include "command_line/completion.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <iostream>
#include <map>
#include <memory>

namespace ganscale::command_line {
namespace {

using Script = std::string (*)(const std::string& program, const DescribedVerb& verbs);

const std::map<std::string, Script>& scripts() {
  static const std::map<std::string, Script> all{
      {"bash", bash_completion}, {"fish", fish_completion}, {"zsh", zsh_completion}};
  return all;
}

std::string examples(const std::string& program) {
  return "\nExamples:\n"
         "  source <(" +
         program +
         " completion bash)                      # this shell\n"
         "  " +
         program + " completion bash > ~/.local/share/bash-completion/completions/" + program +
         "\n"
         "  " +
         program + " completion zsh > ~/.zfunc/_" + program +
         "     # a folder of $fpath\n"
         "  " +
         program + " completion fish > ~/.config/fish/completions/" + program + ".fish";
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("completion", "Print a script that completes commands in a shell");
  verb->footer(examples(app.get_name()));
  const auto shell = std::make_shared<std::string>();
  std::vector<std::string> shells;
  for (const auto& [name, script] : scripts()) shells.push_back(name);
  verb->add_option("shell", *shell, "The shell")->required()->check(CLI::IsMember(shells));
  verb->callback([&app, &action, shell] {
    action = [&app, shell] {
      std::cout << scripts().at(*shell)(app.get_name(), describe(app));
      return ExitCode::kOk;
    };
  });
}

}  // namespace ganscale::command_line
