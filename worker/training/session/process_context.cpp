#include "training/session/process_context.h"

#include <ATen/Parallel.h>
#include <ATen/ops/tensor.h>

#include <functional>
#include <string>

#include "base/host.h"
#include "base/log.h"
#include "comm/backends/shared_cores.h"
#include "device/cpu_quota.h"
#include "device/gpu.h"
#include "device/select_device.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

/// Returns how many ranks may run on the same cores of the same machine as this one. All ranks call it.
int count_sharing_ranks(const std::vector<int>& cores, comm::Group& group) {
  std::string place = host_name();
  for (const int core : cores) place += " " + std::to_string(core);
  const auto own = static_cast<std::int64_t>(std::hash<std::string>()(place));
  return static_cast<int>(group.all_gather(at::tensor(own)).eq(own).sum().item<std::int64_t>());
}

void set_cpu_threads(const TrainingConfig& config, int local_size, comm::Group& group) {
  const std::vector<int> cores = comm::allowed_cores();
  const CpuLimits limits{.allowed_cores = static_cast<int>(cores.size()),
                         .sharing_ranks = count_sharing_ranks(cores, group),
                         .quota = device::cpu_quota()};
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

void warn_of_unused_gpus(device::DeviceKind requested) {
  if (requested != device::DeviceKind::kAuto ||
      !device::leaves_gpus_unused(device::has_cuda(), device::visible_gpu_count())) {
    return;
  }
  log::warning(
      "This machine has a GPU that this process can't use, so the CPU computes; training.device: "
      "cpu silences this warning",
      {{"reason", device::needed_for_gpus()}});
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
  if (process.world.group->rank() == 0) warn_of_unused_gpus(config.training.device);
  set_cpu_threads(config.training, rank_info.local_size, *process.world.group);
  process.devices = devices_of(config.training, rank_info);
  device::use_device(process.devices.generator);
  comm::add_device(process.world, config.comm, process.devices.generator);
  device::allow_tf32(allows_tf32(config.training.precision));
  if (process.devices.generator.is_cpu())
    use_float32_on_cpu(config.model, process.world.group->rank());
  return process;
}

}  // namespace ganscale::training
