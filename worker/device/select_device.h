#pragma once

#include <c10/core/Device.h>

#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>

namespace ganscale::device {

/// The requested device: kAuto is the rank's own GPU if there are any, otherwise the CPU.
enum class DeviceKind { kAuto, kCpu, kGpu };

/// Returns the kind that is called auto, cpu or gpu.
DeviceKind device_kind(std::string_view name);

/// Returns the device of a rank: the GPU of its local rank, or the CPU.
///
/// If the launcher shows each rank its own GPU only (by CUDA_VISIBLE_DEVICES), that is number 0.
/// visible_gpu_count: as this rank sees them.
/// Throws: DeviceError if a GPU is requested and there is none, or too few for the ranks.
c10::Device select_device(DeviceKind kind, int local_rank, int local_size, int visible_gpu_count);

/// Whether this machine has an NVIDIA GPU, but this process can't use it: its build has no CUDA, or
/// the driver is too old for it, unless the environment hides the GPUs.
///
/// has_cuda, visible_gpu_count: of this process.
/// root: where /dev and /proc are.
bool leaves_gpus_unused(bool has_cuda, int visible_gpu_count,
                        const std::filesystem::path& root = "/");

/// The devices of a process's two networks, usually the same.
struct NetworkDevices {
  template <std::convertible_to<c10::Device> Any>
  NetworkDevices(Any both) : generator(both), discriminator(both) {}  // NOLINT: implicit by design
  NetworkDevices(c10::Device of_generator, c10::Device of_discriminator)
      : generator(of_generator), discriminator(of_discriminator) {}

  c10::Device generator;
  c10::Device discriminator;
  bool operator==(const NetworkDevices&) const = default;
};

/// Returns the two GPUs of one rank: 0 and 1 for local rank 0, 2 and 3 for local rank 1.
///
/// If the launcher shows each rank its own two GPUs only, those are 0 and 1.
/// Throws: ConfigError if the CPU is requested or there are fewer than two GPUs per rank.
NetworkDevices select_two_devices(DeviceKind kind, int local_rank, int local_size,
                                  int visible_gpu_count);

/// The generation of a GPU: 8.0 is that of an A100, 9.0 that of an H100.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

/// Throws ConfigError if a build has no kernels that a GPU can run.
///
/// architectures: what the build has kernels for, as CMAKE_CUDA_ARCHITECTURES with commas:
///                "80-real,90". Without "-real", they include code that the drivers of later GPUs
///                compile.
void require_kernels_for(const std::string& gpu, ComputeCapability capability,
                         std::string_view architectures);

}  // namespace ganscale::device
