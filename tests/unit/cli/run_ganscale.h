#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/run.h"

namespace ganscale::cli {

/// Runs `ganscale` with these arguments in this process.
inline ExitCode run_ganscale(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "ganscale");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return static_cast<ExitCode>(run(static_cast<int>(pointers.size()), pointers.data()));
}

}  // namespace ganscale::cli
