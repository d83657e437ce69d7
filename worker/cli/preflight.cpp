#include "comm/preflight/preflight.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "base/error.h"
#include "cli/add_verb.h"
#include "cli/options/fabric_options.h"
#include "cli/verbs.h"
#include "comm/backends/launcher.h"
#include "training/session/process_context.h"
#include "wire/names.h"

namespace ganscale::cli {
namespace {

constexpr double kTimeoutSeconds = 120;

constexpr auto kPreflightExample =
    "\n"
    "Examples:\n"
    "  ganscale launch --hostfile hosts preflight --floor 100 --hcas 8\n"
    "  mpirun -n 16 ganscale preflight\n"
    "\n"
    "Takes a few seconds to measure the all-reduce that a run would use, and prints each node's\n"
    "HCAs with an active port and how they read GPU memory (peermem, dmabuf or none). If the bus\n"
    "bandwidth is below --floor, it also measures each node with its neighbors to find a slow\n"
    "one. If the bandwidth is below the floor or a node lacks HCAs, the exit code is 69, and the\n"
    "message names the node. The bus bandwidth is defined as in nccl-tests: the bytes per second\n"
    "of the all-reduce times 2 (n - 1) / n for n ranks.";

/// The environment of a node may have a floor for whatever runs there; one that was typed is meant
/// for these ranks.
void require_ranks_for_floor(const comm::FabricRequirements& required) {
  const bool is_typed = required.floor_gigabytes_per_second > 0 &&
                        std::getenv(wire::environment::kPreflightFloor) == nullptr;
  if (!is_typed || comm::launched_world_size() > 1) return;
  throw UsageError(
      "--floor: one rank measures no bandwidth: start several, as in ganscale launch --hostfile "
      "hosts preflight --floor 100");
}

ExitCode preflight(const comm::FabricRequirements& required) {
  require_ranks_for_floor(required);
  training::RunConfig config;
  config.comm.timeout_seconds = kTimeoutSeconds;
  training::ProcessContext process = training::open_process_context(config);
  comm::Group& group = *process.world.group;
  const wire::Preflight result = comm::run_preflight(group, process.devices.generator, required);
  if (!result.passed()) throw FabricError(result.message);
  group.finish();
  return ExitCode::kOk;
}

}  // namespace

void add_preflight(CLI::App& app, Action& action) {
  const auto [verb, required] =
      add_verb(app, action,
               {"preflight", "Measure the network between the ranks, and find a slow node",
                kPreflightExample},
               preflight);
  add_fabric_options(verb, required);
}

}  // namespace ganscale::cli
