#include "command_line/completion.h"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

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

std::string single_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return quoted + "'";
}

std::string escaped(std::string_view text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string function_name(std::string_view command) {
  std::string name = "_" + std::string(command);
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

void add_completion(CLI::App& app, Action& action, StartedVerbs started) {
  CLI::App* verb =
      app.add_subcommand("completion", "Print a script that completes commands in a shell");
  verb->footer(examples(app.get_name()));
  const auto shell = std::make_shared<std::string>();
  std::vector<std::string> shells;
  for (const auto& [name, script] : scripts()) shells.push_back(name);
  verb->add_option("shell", *shell, "The shell")->required()->check(CLI::IsMember(shells));
  verb->callback([&app, &action, shell, started = std::move(started)] {
    action = [&app, shell, started] {
      DescribedVerb program = describe(app);
      for (const auto& [starter, verbs] : started) add_started_verbs(program, starter, verbs);
      std::cout << scripts().at(*shell)(app.get_name(), program);
      return ExitCode::kOk;
    };
  });
}

}  // namespace ganscale::command_line
