#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvml.h>

#include <array>
#include <numeric>
#include <vector>

#include "device/gpu_use.h"

namespace ganscale::device {
namespace {

/// The functions of NVML, the driver's library of management. It is part of the driver, so that a
/// machine without one must not need it to start.
class Nvml {
 public:
  /// Returns nothing if there is no driver, or if it has another interface.
  static const Nvml* loaded() {
    static const Nvml nvml;
    return nvml.is_ready_ ? &nvml : nullptr;
  }

  /// Returns the samples of a GPU's utilization after a time, in percent.
  std::vector<unsigned int> utilization(c10::Device device, std::chrono::microseconds after) const {
    std::array<char, 32> bus{};
    if (cudaDeviceGetPCIBusId(bus.data(), bus.size(), device.index()) != cudaSuccess) return {};
    nvmlDevice_t gpu{};
    if (by_bus_(bus.data(), &gpu) != NVML_SUCCESS) return {};
    const auto since = static_cast<unsigned long long>(after.count());
    nvmlValueType_t type{};
    unsigned int count = 0;
    const auto read = [&](nvmlSample_t* samples) {
      return samples_(gpu, NVML_GPU_UTILIZATION_SAMPLES, since, &type, &count, samples);
    };
    if (read(nullptr) != NVML_SUCCESS) return {};
    std::vector<nvmlSample_t> samples(count);
    if (read(samples.data()) != NVML_SUCCESS || type != NVML_VALUE_TYPE_UNSIGNED_INT) return {};
    std::vector<unsigned int> percent;
    for (unsigned int i = 0; i < count; ++i) percent.push_back(samples[i].sampleValue.uiVal);
    return percent;
  }

 private:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    decltype(&nvmlInit_v2) init = nullptr;
    is_ready_ = find("nvmlInit_v2", init) && find("nvmlDeviceGetHandleByPciBusId_v2", by_bus_) &&
                find("nvmlDeviceGetSamples", samples_) && init() == NVML_SUCCESS;
  }

  template <class Function>
  bool find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr;
  }

  void* library_;  // until the process ends
  decltype(&nvmlDeviceGetHandleByPciBusId_v2) by_bus_ = nullptr;
  decltype(&nvmlDeviceGetSamples) samples_ = nullptr;
  bool is_ready_ = false;
};

}  // namespace

std::optional<double> gpu_use(c10::Device device, std::chrono::duration<double> last) {
  const Nvml* nvml = device.is_cuda() ? Nvml::loaded() : nullptr;
  if (nvml == nullptr) return std::nullopt;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto percent =
      nvml->utilization(device, std::chrono::duration_cast<std::chrono::microseconds>(now - last));
  if (percent.empty()) return std::nullopt;
  return std::accumulate(percent.begin(), percent.end(), 0.0) /
         (100 * static_cast<double>(percent.size()));
}

}  // namespace ganscale::device
