#include "training/session/process_context.h"

#include <ATen/Parallel.h>
#include <sched.h>
#include <unistd.h>

#include "base/log.h"
#include "device/cpu_quota.h"
#include "device/gpu.h"
#include "device/select_device.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

void set_cpu_threads(const TrainingConfig& config, int local_size) {
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const int machine_cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int allowed_cores = known ? CPU_COUNT(&allowed) : machine_cores;
  const CpuLimits limits{allowed_cores, machine_cores, device::cpu_quota()};
  at::set_num_threads(cpu_threads(config.threads, limits, local_size));
}

device::NetworkDevices devices_of(const TrainingConfig& config, const comm::RankInfo& rank_info) {
  const auto select = [&](auto choose) {
    return choose(config.device, rank_info.local_rank, rank_info.local_size,
                  device::visible_gpu_count());
  };
  if (config.devices_per_process == 2) return select(device::select_two_devices);
  return select(device::select_device);
}

/// Low precision is fast on GPUs but slow on CPUs.
void use_float32_on_cpu(models::ModelConfig& model, int rank) {
  if (model.low_precision_type && rank == 0) {
    log::warning(
        "training.precision: this model computes in float32 on a CPU; fp16 and bf16 need a GPU",
        {{"model", model.name}});
  }
  model.compute_in_float32();
}

}  // namespace

ProcessContext open_process_context(RunConfig& config) {
  ProcessContext process{.world = comm::open_world(config.comm), .devices = at::kCPU};
  const comm::RankInfo& rank_info = process.world.rank_info;
  log::set_rank(process.world.group->rank());
  process.devices = devices_of(config.training, rank_info);
  device::use_device(process.devices.generator);
  comm::add_device(process.world, config.comm, process.devices.generator);
  set_cpu_threads(config.training, rank_info.local_size);
  device::allow_tf32(allows_tf32(config.training.precision));
  if (process.devices.generator.is_cpu())
    use_float32_on_cpu(config.model, process.world.group->rank());
  return process;
}

}  // namespace ganscale::training
