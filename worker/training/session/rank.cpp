#include "training/session/rank.h"

#include <ATen/Parallel.h>
#include <sched.h>
#include <unistd.h>

#include "base/log.h"
#include "device/gpu.h"
#include "device/select_device.h"
#include "training/run/precision.h"
#include "training/session/cpu_threads.h"

namespace ganscale::training {
namespace {

void set_cpu_threads(const TrainingConfig& config, int local_size) {
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const int machine_cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int allowed_cores = known ? CPU_COUNT(&allowed) : machine_cores;
  at::set_num_threads(cpu_threads(config.threads, allowed_cores, machine_cores, local_size));
}

device::NetworkDevices devices_of(const TrainingConfig& config, const comm::Place& place) {
  const auto select = [&](auto choose) {
    return choose(config.device, place.local_rank, place.local_size, device::visible_gpu_count());
  };
  if (config.devices_per_process == 2) return select(device::select_two_devices);
  return select(device::select_device);
}

/// GPUs compute in narrow types to be fast; CPUs would be slow.
void widen_for_cpu(models::stylegan2::NetworkConfig& networks, int rank) {
  if (networks.narrow_type && rank == 0) {
    log::warning(
        "training.precision: StyleGAN2 computes in float32 on a CPU: fp16 and bf16 are for GPUs");
  }
  networks.widen();
}

}  // namespace

Rank open_rank(RunConfig& config) {
  Rank rank{.world = comm::open_world(config.comm), .devices = at::kCPU};
  const comm::Place& place = rank.world.place;
  log::set_rank(rank.world.group->rank());
  rank.devices = devices_of(config.training, place);
  device::use_device(rank.devices.generator);
  comm::add_device(rank.world, config.comm, rank.devices.generator);
  set_cpu_threads(config.training, place.local_size);
  device::allow_tf32(allows_tf32(config.training.precision));
  if (rank.devices.generator.is_cpu())
    widen_for_cpu(config.model.stylegan2, rank.world.group->rank());
  return rank;
}

}  // namespace ganscale::training
