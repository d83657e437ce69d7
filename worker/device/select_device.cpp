#include "device/select_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <ranges>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "device/gpu.h"

namespace ganscale::device {
namespace {

/// The kernels for one architecture.
struct Kernels {
  ComputeCapability capability;
  bool runs_on_later = false;  ///< generations, too

  bool run_on(ComputeCapability gpu) const {
    if (gpu.major == capability.major) return gpu.minor >= capability.minor;
    return runs_on_later && gpu.major > capability.major;
  }
};

/// Returns nothing if the text names none: then it is "native" or "all".
std::vector<Kernels> kernels_of(std::string_view architectures) {
  std::vector<Kernels> all;
  for (const auto part : std::views::split(architectures, ',')) {
    const std::string_view text(part.begin(), part.end());
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return {};
    all.push_back({.capability = {number / 10, number % 10},
                   .runs_on_later = std::string_view(end, text.data() + text.size()) != "-real"});
  }
  return all;
}

/// Whether a user or a container's runtime hides all GPUs from this process. CUDA shows those of a
/// list up to its first entry that names none.
bool hides_gpus() {
  const char* of_container = std::getenv("NVIDIA_VISIBLE_DEVICES");
  if (of_container != nullptr && std::string_view(of_container) == "void") return true;
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) return false;
  const bool names_gpu = std::isdigit(static_cast<unsigned char>(*list)) != 0 ||
                         std::string_view(list).starts_with("GPU-") ||
                         std::string_view(list).starts_with("MIG-");
  return !names_gpu;
}

}  // namespace

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
    throw DeviceError(fmt::format(
        "training.device, or --device: a GPU was requested, but this rank sees none; {}: local "
        "rank {}",
        needed_for_gpus(), local_rank));
  }
  if (visible_gpu_count == 1) return {c10::kCUDA, 0};
  if (local_size > visible_gpu_count) {
    throw DeviceError("more ranks than GPUs on this machine: " + std::to_string(local_size) +
                      " ranks, " + std::to_string(visible_gpu_count) +
                      " GPUs; start one rank per GPU, or use the CPU");
  }
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(local_rank)};
}

bool leaves_gpus_unused(bool has_cuda, int visible_gpu_count, const std::filesystem::path& root) {
  if (visible_gpu_count > 0 || (has_cuda && hides_gpus())) return false;
  std::error_code ignored;
  const auto exists = [&](const char* path) {
    return std::filesystem::exists(root / path, ignored);
  };
  // A container sees the host's /proc/driver even if it has none of its GPUs.
  return exists("dev/nvidia0") || (!has_cuda && exists("proc/driver/nvidia"));
}

NetworkDevices select_two_devices(DeviceKind kind, int local_rank, int local_size,
                                  int visible_gpu_count) {
  if (kind == DeviceKind::kCpu) {
    throw ConfigError("training.devices_per_process: 2 needs GPUs; use 1: training.device is cpu");
  }
  const int ranks = visible_gpu_count == 2 ? 1 : local_size;
  if (visible_gpu_count < 2 * ranks) {
    throw DeviceError(
        "training.devices_per_process: 2 needs two GPUs per rank; start fewer ranks, or use 1: " +
        std::to_string(local_size) + " ranks, " + std::to_string(visible_gpu_count) + " GPUs");
  }
  const auto first = static_cast<c10::DeviceIndex>(ranks == 1 ? 0 : 2 * local_rank);
  return {{c10::kCUDA, first}, {c10::kCUDA, static_cast<c10::DeviceIndex>(first + 1)}};
}

void require_kernels_for(const std::string& gpu, ComputeCapability capability,
                         std::string_view architectures) {
  const auto all = kernels_of(architectures);
  const bool runs =
      std::ranges::any_of(all, [&](const Kernels& kernels) { return kernels.run_on(capability); });
  if (runs || all.empty()) return;
  throw ConfigError(fmt::format(
      "this build has no kernels for the GPU {}, of compute capability {}.{}; they are "
      "for {}. Use another GPU, or compile with -DCMAKE_CUDA_ARCHITECTURES={}{} and a "
      "LibTorch that has kernels for it",
      gpu, capability.major, capability.minor, architectures, capability.major, capability.minor));
}

}  // namespace ganscale::device
