#pragma once

#include <c10/core/Device.h>

#include <concepts>

namespace ganscale::device {

/// What a user asks for: each rank's own GPU where there are any, else the CPU; or one of the two.
enum class DeviceKind { kAuto, kCpu, kGpu };

/// Returns the device of one rank: its local rank's GPU, one process a GPU, or the CPU.
///
/// A launcher that shows each rank its own GPU only (CUDA_VISIBLE_DEVICES a rank) makes that one
/// number 0.
/// visible_gpu_count: as this rank sees them.
/// Throws: DeviceError where a GPU is asked for and there is none, or too few for the ranks.
c10::Device select_device(DeviceKind kind, int local_rank, int local_size, int visible_gpu_count);

/// Where one process keeps its two networks: often one device for both.
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
/// A launcher that shows each rank its own two GPUs only makes those 0 and 1.
/// Throws: ConfigError where the CPU is asked for, or there are fewer than two GPUs a rank.
NetworkDevices select_two_devices(DeviceKind kind, int local_rank, int local_size,
                                  int visible_gpu_count);

}  // namespace ganscale::device
