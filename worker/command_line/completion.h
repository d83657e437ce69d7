#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/described_verb.h"
#include "command_line/run_program.h"

namespace ganscale::command_line {

/// Returns text in single quotes, as bash and zsh read it.
std::string single_quoted(std::string_view text);

/// Returns text with a backslash before each of some characters.
std::string escaped(std::string_view text, std::string_view characters);

/// Returns the name of a shell function: "_ganscale_data_convert" of "ganscale data convert".
std::string function_name(std::string_view command);

/// Each returns a script that completes verbs, options and values of a program in a shell.
///
/// program: its name on the command line
std::string bash_completion(const std::string& program, const DescribedVerb& verbs);
std::string fish_completion(const std::string& program, const DescribedVerb& verbs);
std::string zsh_completion(const std::string& program, const DescribedVerb& verbs);

/// The verbs that another one starts, by its name.
using StartedVerbs = std::map<std::string, std::vector<std::string>>;

/// Adds the verb `completion SHELL`, which prints the script for a shell. It has the verbs that
/// `app` has when it runs.
void add_completion(CLI::App& app, Action& action, StartedVerbs started = {});

}  // namespace ganscale::command_line
