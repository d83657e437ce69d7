#pragma once

#include <string>

#include "command_line/described_verb.h"
#include "command_line/run_program.h"

namespace ganscale::command_line {

/// Each returns a script that completes verbs, options and values of a program in a shell.
///
/// program: its name on the command line
std::string bash_completion(const std::string& program, const DescribedVerb& verbs);
std::string fish_completion(const std::string& program, const DescribedVerb& verbs);
std::string zsh_completion(const std::string& program, const DescribedVerb& verbs);

/// Adds the verb `completion SHELL`, which prints the script for a shell. It tells of the verbs that
/// `app` has when it runs.
void add_completion(CLI::App& app, Action& action);

}  // namespace ganscale::command_line
