#pragma once

#include "comm/preflight/verdict.h"

namespace CLI {
class App;
}

namespace ganscale::cli {

/// Adds --floor and --hcas, which the operator sets by environment variables.
void add_fabric_options(CLI::App& verb, comm::FabricRequirements& required);

}  // namespace ganscale::cli
