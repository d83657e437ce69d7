#include "device/select_device.h"

#include <string>

#include "base/error.h"

namespace ganscale::device {

DeviceKind device_kind(std::string_view name) {
  if (name == "cpu") return DeviceKind::kCpu;
  if (name == "gpu") return DeviceKind::kGpu;
  check(name == "auto", "unknown kind of device: " + std::string(name));
  return DeviceKind::kAuto;
}

c10::Device select_device(DeviceKind kind, int local_rank, int local_size, int visible_gpu_count) {
  check(local_rank >= 0 && local_rank < local_size,
        "a local rank is not below the local size: " + std::to_string(local_rank));
  if (kind == DeviceKind::kCpu) return c10::kCPU;
  if (visible_gpu_count == 0) {
    if (kind == DeviceKind::kAuto) return c10::kCPU;
    throw DeviceError("a GPU was requested, but this rank sees none: local rank " +
                      std::to_string(local_rank));
  }
  if (visible_gpu_count == 1) return {c10::kCUDA, 0};
  if (local_size > visible_gpu_count) {
    throw DeviceError("more ranks than GPUs on this machine: " + std::to_string(local_size) +
                      " ranks, " + std::to_string(visible_gpu_count) +
                      " GPUs; start one rank per GPU, or use the CPU");
  }
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(local_rank)};
}

NetworkDevices select_two_devices(DeviceKind kind, int local_rank, int local_size,
                                  int visible_gpu_count) {
  if (kind == DeviceKind::kCpu) {
    throw ConfigError("training.devices_per_process: 2 needs GPUs; use 1: training.device is cpu");
  }
  const int ranks = visible_gpu_count == 2 ? 1 : local_size;
  if (visible_gpu_count < 2 * ranks) {
    throw ConfigError(
        "training.devices_per_process: 2 needs two GPUs per rank; start fewer ranks, or use 1: " +
        std::to_string(local_size) + " ranks, " + std::to_string(visible_gpu_count) + " GPUs");
  }
  const auto first = static_cast<c10::DeviceIndex>(ranks == 1 ? 0 : 2 * local_rank);
  return {{c10::kCUDA, first}, {c10::kCUDA, static_cast<c10::DeviceIndex>(first + 1)}};
}

}  // namespace ganscale::device
