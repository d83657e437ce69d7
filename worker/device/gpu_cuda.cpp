#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include "base/error.h"
#include "device/gpu.h"

namespace ganscale::device {
namespace {

void require(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  throw DeviceError(std::string(call) + " failed: " + cudaGetErrorString(result));
}

cudaDeviceProp properties(c10::Device device) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, device.index()), "cudaGetDeviceProperties");
  return properties;
}

}  // namespace

int visible_gpu_count() { return c10::cuda::device_count(); }

void use_device(c10::Device device) {
  if (!device.is_cuda()) return;
  at::globalContext().lazyInitDevice(c10::kCUDA);
  at::globalContext().setBenchmarkCuDNN(true);
  require(cudaSetDevice(device.index()), "cudaSetDevice");
}

std::string device_name(c10::Device device) {
  if (!device.is_cuda()) return "CPU";
  return properties(device).name;
}

DeviceMemory device_memory(c10::Device device) {
  if (!device.is_cuda()) return {};
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
  return {stats.allocated_bytes[kAll].current, stats.reserved_bytes[kAll].current,
          static_cast<std::int64_t>(properties(device).totalGlobalMem)};
}

void allow_tf32(bool allowed) {
  at::globalContext().setAllowTF32CuBLAS(allowed);
  at::globalContext().setAllowTF32CuDNN(allowed);
}

}  // namespace ganscale::device
