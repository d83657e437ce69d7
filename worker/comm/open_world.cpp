#include "comm/open_world.h"

#include <cstdlib>

#include "base/error.h"
#include "base/host.h"
#include "comm/backends/launcher.h"
#include "comm/backends/nccl_group.h"
#include "comm/backends/thread_group.h"
#include "comm/collectives/numbers.h"
#include "comm/distinct_gpus.h"
#include "config/units.h"
#include "device/gpu.h"
#include "wire/names.h"

namespace ganscale::comm {
namespace {

std::optional<std::string> read_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

void require_size(int actual, std::int64_t expected, const std::string& source) {
  if (expected == actual) return;
  throw ConfigError(
      source + " expects " + std::to_string(expected) + " ranks, but this world has " +
      std::to_string(actual) +
      ": check mpirun's -n and host file (Open MPI 5 ignores the orte_* settings of Open MPI 4)");
}

World open_mpi(const CommConfig& config) {
  World world;
  world.watchdog = make_process_watchdog(config.timeout(), launched_rank());
  const auto watch = world.watchdog->watch("opening the world");  // both calls wait for all ranks
  world.rank_info = mpi_rank_info();
  world.group = open_mpi_world(world.watchdog);
  return world;
}

/// Only the rank without a GPU throws: its error names the node to look at. The others soon wait
/// for it, and are ended with it.
void require_gpu_if_others_have_one(Group& group, c10::Device device) {
  bool has_any_gpu = device.is_cuda();
  all_reduce_max(group, {&has_any_gpu});
  if (device.is_cuda() || !has_any_gpu) return;
  throw DeviceError("this rank sees no GPU on " + host_name() +
                    ", but other ranks have one: " + device::needed_for_gpus() +
                    "; run nvidia-smi there, or set training.device: cpu for all ranks");
}

}  // namespace

void check_world_size(int actual, int expected, const std::optional<std::string>& environment) {
  if (expected != 0) require_size(actual, expected, "comm.expected_world_size");
  if (!environment) return;
  const auto number = config::parse_integer(*environment);
  if (!number || *number < 1) {
    throw ConfigError(std::string(wire::environment::kExpectedWorldSize) +
                      " is not a number of ranks: " + *environment);
  }
  require_size(actual, *number, wire::environment::kExpectedWorldSize);
}

World open_world(const CommConfig& config) {
  const bool launched = launched_by_mpi();
  const bool wants_peers = config.backend == Backend::kMpi || config.backend == Backend::kNccl;
  if (launched && config.backend == Backend::kSingle) {
    throw ConfigError("comm.backend is single, but a launcher started this rank: use auto");
  }
  if (!launched && wants_peers) {
    throw ConfigError("comm.backend needs ranks: start with mpirun -n RANKS: " +
                      std::string(name_in(kBackends, config.backend)));
  }
  World world;
  if (launched) {
    world = open_mpi(config);
  } else {
    world.group = make_single_group();
  }
  check_world_size(world.group->size(), config.expected_world_size,
                   read_environment(wire::environment::kExpectedWorldSize));
  return world;
}

void add_device(World& world, const CommConfig& config, c10::Device device) {
  if (device.is_cuda() && config.backend == Backend::kMpi)
    throw ConfigError("comm.backend mpi does not support GPUs: use auto");
  require_gpu_if_others_have_one(*world.group, device);
  if (!device.is_cuda()) {
    if (config.backend == Backend::kNccl)
      throw ConfigError("comm.backend nccl needs a GPU: " + device.str());
    return;
  }
  if (world.group->size() == 1) return;
  require_distinct_gpus(*world.group, device::gpu_id(device));
  world.group = make_nccl_group(std::move(world.group), device, world.watchdog);
}

}  // namespace ganscale::comm
