// Replaces gpu_cuda.cpp in a build without CUDA.
#include "base/error.h"
#include "device/gpu.h"

namespace ganscale::device {

bool has_cuda() { return false; }
int visible_gpu_count() { return 0; }
std::string needed_for_gpus() {
  return "this build has no CUDA: build it with make cuda, or install the CUDA wheel";
}
void use_device(c10::Device /*device*/) {}
std::string device_name(c10::Device /*device*/) { return "CPU"; }
GpuId gpu_id(c10::Device device) {
  throw DeviceError("a build without CUDA has no GPU: " + device.str());
}
DeviceMemory device_memory(c10::Device /*device*/) { return {}; }
void allow_tf32(bool /*allowed*/) {}

}  // namespace ganscale::device
