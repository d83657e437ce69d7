#include "device/translate_errors.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <new>
#include <string_view>

#include "base/error.h"

namespace ganscale::device {
namespace {

constexpr const char* kOutOfHostMemory =
    "out of the host's memory: use a smaller training.batch (with more training.accumulate) or "
    "fewer data.prefetch.batches";
constexpr const char* kDeviceFailed = "a device failed: ";

std::string gibibytes(std::int64_t bytes) {
  constexpr double kGibibyte = 1 << 30;
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGibibyte);
}

std::vector<DeviceMemory> memory_of_gpus() {
  std::vector<DeviceMemory> gpus;
  for (int i = 0; i < visible_gpu_count(); ++i)
    gpus.push_back(device_memory({c10::kCUDA, static_cast<c10::DeviceIndex>(i)}));
  return gpus;
}

/// Whether cuBLAS, cuDNN or cuSOLVER says that the device failed. cuDNN's statuses may have an
/// ending that says more: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED is no such failure.
bool names_failed_device(std::string_view what) {
  const auto names = [what](std::string_view status) {
    return what.find(status) != std::string_view::npos;
  };
  return (names("_STATUS_EXECUTION_FAILED") || names("_STATUS_INTERNAL_ERROR")) &&
         !names("_ALLOCATION_FAILED");
}

/// Translates an error that LibTorch has no type for; returns if it is another one.
void translate(const c10::Error& error) {
  const std::string_view what = error.what_without_backtrace();
  if (const auto allocator = what.find("DefaultCPUAllocator: "); allocator != what.npos) {
    throw Error(ExitCode::kBug,
                std::string(kOutOfHostMemory) + ": " + std::string(what.substr(allocator)));
  }
  if (names_failed_device(what)) throw DeviceError(kDeviceFailed + std::string(what));
}

}  // namespace

void translate_errors(const std::function<void()>& action) {
  try {
    action();
  } catch (const c10::OutOfMemoryError& error) {
    throw Error(ExitCode::kBug,
                out_of_memory_text(error.what_without_backtrace(), memory_of_gpus()));
  } catch (const c10::AcceleratorError& error) {
    throw DeviceError(std::string(kDeviceFailed) + error.what_without_backtrace());
  } catch (const c10::Error& error) {
    translate(error);
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::kBug, kOutOfHostMemory);
  }
}

std::string out_of_memory_text(const std::string& what, const std::vector<DeviceMemory>& gpus) {
  std::string text =
      "out of a GPU's memory: use a smaller batch per GPU (more ranks, training.accumulate, a "
      "smaller training.batch) or a lower training.precision";
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const DeviceMemory& memory = gpus[i];
    if (memory.reserved_bytes == 0) continue;
    text += ": cuda:" + std::to_string(i) + " had at most " + gibibytes(memory.peak_bytes) +
            " allocated, and " + gibibytes(memory.reserved_bytes) + " reserved of " +
            gibibytes(memory.total_bytes);
  }
  return text + ": " + what;
}

}  // namespace ganscale::device
