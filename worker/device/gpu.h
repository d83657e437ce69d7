#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

/// What the GPUs of this process are and how they compute. A build without CUDA sees none.
namespace ganscale::device {

/// Returns the number of GPUs that this process sees.
int visible_gpu_count();

/// Makes `device` the current one of this thread: call it in main() before the first tensor, so
/// that no rank opens a context on another rank's GPU. From then on cuDNN tries its algorithms for
/// each new shape and keeps the fastest. A CPU needs nothing.
void use_device(c10::Device device);

/// Returns the GPU's name, or "CPU".
std::string device_name(c10::Device device);

/// Memory of one device, in bytes; all zero for the CPU.
struct DeviceMemory {
  std::int64_t allocated_bytes = 0;  ///< by tensors of this process
  std::int64_t reserved_bytes = 0;   ///< by this process's allocator
  std::int64_t total_bytes = 0;
};
DeviceMemory device_memory(c10::Device device);

/// Lets matrix products and convolutions of float32 on GPUs round their inputs to TF32 (8 bits of
/// exponent, 10 of mantissa), or forbids it.
void allow_tf32(bool allowed);

}  // namespace ganscale::device
