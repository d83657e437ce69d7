#include "gan_training/desired/config_map.h"

#include <string>
#include <string_view>

#include "object/yaml.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr std::string_view kBindScript = R"(#!/bin/sh
# Binds this rank to the CPUs beside its GPU, then runs the command. Its threads inherit that, and its memory comes from
# there. The kernel leaves out CPUs that the pod may not use.
export CUDA_DEVICE_ORDER=PCI_BUS_ID  # as nvidia-smi counts
rank=${OMPI_COMM_WORLD_LOCAL_RANK:-0}
gpu=$(nvidia-smi --id="RANK" --query-gpu=pci.bus_id --format=csv,noheader | tr A-F a-f | sed 's/^0000\(....:\)/\1/')
cpus=$(cat "${GANSCALE_PCI_DEVICES:-/sys/bus/pci/devices}/$gpu/local_cpulist")
taskset -pc "$cpus" $$ >/dev/null || echo "ganscale: warning: not bound to the CPUs of GPU $rank: '$gpu' '$cpus'" >&2
exec "$@"
)";

/// Returns the script for processes of this many GPUs, which are bound close to their first.
std::string bind_script(int gpus) {
  const std::string first = gpus == 1 ? "$rank" : "$((rank * " + std::to_string(gpus) + "))";
  std::string script(kBindScript);
  return script.replace(script.find("RANK\""), 4, first);
}

}  // namespace

Json config_map(const Plan& plan) {
  Json data = {{"config.yaml", to_yaml(plan.config)}};
  if (plan.profile.bind_to_gpu) data["bind.sh"] = bind_script(devices_per_process(plan.config));
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", metadata_of(plan, config_map_name(plan.key))},
          {"data", data}};
}

}  // namespace ganscale::controller::gan_training
