#pragma once

#include <string>

#include "training/run/provenance.h"

namespace ganscale::cli {

/// Returns the commit that this program was built from, with "-dirty" if files had changed.
const char* commit();

/// Returns what this program was built from.
training::Build this_build();

/// Returns a build as `ganscale --version` prints it: the version, then a line for each other fact.
std::string build_text(const training::Build& build);

/// Returns the command line of this process, as it would be typed into a shell.
std::string typed_command_line();

}  // namespace ganscale::cli
