#pragma once

#include <c10/core/Device.h>

#include <array>
#include <cstdint>
#include <string>

/// The GPUs of this process. A build without CUDA has none.
namespace ganscale::device {

/// Whether this build has CUDA.
bool has_cuda();

/// Returns the number of visible GPUs; 0 also if the driver is too old for this build.
int visible_gpu_count();

/// Returns what this build needs to see a GPU, and what this machine has of it, for messages where
/// none is visible.
std::string needed_for_gpus();

/// Makes `device` the current device of this thread, turns on cuDNN's benchmark mode, and forbids
/// sums in low precision. Call it in main() before the first tensor, so that no rank creates a
/// context on another rank's GPU. The current device of each other thread is the first GPU until it
/// sets one: it must do so before it calls CUDA. Does nothing for a CPU. Throws ConfigError if the
/// build has no kernels for the GPU.
void use_device(c10::Device device);

/// Returns the GPU's name, or "CPU".
std::string device_name(c10::Device device);

/// What distinguishes a GPU from all others, on any machine.
using GpuId = std::array<std::uint8_t, 16>;
GpuId gpu_id(c10::Device device);

/// Memory of one device, in bytes; all zero for the CPU.
struct DeviceMemory {
  std::int64_t allocated_bytes = 0;  ///< by tensors of this process
  std::int64_t peak_bytes = 0;       ///< the most that they had
  std::int64_t reserved_bytes = 0;   ///< by this process's allocator
  std::int64_t total_bytes = 0;
};
DeviceMemory device_memory(c10::Device device);

/// Allows or forbids TF32 (8 bits of exponent, 10 of mantissa) in float32 matrix multiplications
/// and convolutions on GPUs.
void allow_tf32(bool allowed);

}  // namespace ganscale::device
