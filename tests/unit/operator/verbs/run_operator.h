#pragma once

#include <string>

#include "support/run_program.h"

namespace ganscale::controller {

/// Runs ganscale-operator with these words of a command line.
inline ProgramResult run_operator(const std::string& words) {
  return run_program(std::string(OPERATOR) + " " + words);
}

/// Returns the path of a sample.
inline std::string sample(const std::string& name) {
  return std::string(PROJECT_FOLDER) + "/operator-manifests/samples/" + name + ".yaml";
}

}  // namespace ganscale::controller
