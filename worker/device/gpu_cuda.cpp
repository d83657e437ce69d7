#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "base/error.h"
#include "device/gpu.h"
#include "device/low_precision_sums.h"
#include "device/select_device.h"

namespace ganscale::device {
namespace {

/// The oldest driver for CUDA 13, with which LibTorch's wheel is built: CUDA Toolkit 13.0 release
/// notes, "CUDA Driver". README.md and docs/operations.md name it, too.
constexpr const char* kOldestDriver = "580";

/// How many of cuDNN's algorithms, the most promising first, the search for the fastest one tries
/// for each shape. A training has hundreds of shapes and searches in two threads; LibTorch's own
/// limit is 10.
constexpr int kTriedAlgorithms = 5;

void require(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  throw DeviceError(std::string(call) + " failed: " + cudaGetErrorString(result));
}

cudaDeviceProp properties(c10::Device device) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, device.index()), "cudaGetDeviceProperties");
  return properties;
}

/// Returns a version as CUDA's functions give it, such as "12.4" for 12040.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

bool has_cuda() { return true; }

int visible_gpu_count() { return c10::cuda::device_count(); }

std::string needed_for_gpus() {
  int ours = 0;
  require(cudaRuntimeGetVersion(&ours), "cudaRuntimeGetVersion");
  int of_driver = 0;
  const bool has_driver = cudaDriverGetVersion(&of_driver) == cudaSuccess && of_driver > 0;
  if (of_driver / 1000 >= ours / 1000) {  // a driver serves all programs of its major version
    return "the driver is new enough: check CUDA_VISIBLE_DEVICES, and that the container has a GPU";
  }
  return "this build needs a driver for CUDA " + version_text(ours) + " (" + kOldestDriver +
         " or newer), and " +
         (has_driver ? "the driver is one for CUDA " + version_text(of_driver)
                     : std::string("there is no driver"));
}

void use_device(c10::Device device) {
  if (!device.is_cuda()) return;
  const cudaDeviceProp gpu = properties(device);
  require_kernels_for(gpu.name, {gpu.major, gpu.minor}, GANSCALE_CUDA_ARCHITECTURES);
  at::globalContext().lazyInitDevice(c10::kCUDA);
  at::globalContext().setBenchmarkCuDNN(true);
  at::globalContext().setBenchmarkLimitCuDNN(kTriedAlgorithms);
  forbid_low_precision_sums();
  require(cudaSetDevice(device.index()), "cudaSetDevice");
}

std::string device_name(c10::Device device) {
  if (!device.is_cuda()) return "CPU";
  return properties(device).name;
}

GpuId gpu_id(c10::Device device) {
  const cudaUUID_t uuid = properties(device).uuid;
  GpuId id{};
  std::memcpy(id.data(), uuid.bytes, id.size());
  return id;
}

DeviceMemory device_memory(c10::Device device) {
  if (!device.is_cuda() || !c10::cuda::CUDACachingAllocator::get()->initialized()) return {};
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
  return {stats.allocated_bytes[kAll].current, stats.allocated_bytes[kAll].peak,
          stats.reserved_bytes[kAll].current,
          static_cast<std::int64_t>(properties(device).totalGlobalMem)};
}

void allow_tf32(bool allowed) {
  at::globalContext().setAllowTF32CuBLAS(allowed);
  at::globalContext().setAllowTF32CuDNN(allowed);
}

}  // namespace ganscale::device
