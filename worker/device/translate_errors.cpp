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

}  // namespace

void translate_errors(const std::function<void()>& action) {
  try {
    action();
  } catch (const c10::OutOfMemoryError& error) {
    throw Error(ExitCode::kBug,
                out_of_memory_text(error.what_without_backtrace(), memory_of_gpus()));
  } catch (const c10::AcceleratorError& error) {
    throw DeviceError(std::string("a device failed: ") + error.what_without_backtrace());
  } catch (const c10::Error& error) {
    // LibTorch has no type for it.
    const std::string_view what = error.what_without_backtrace();
    const auto allocator = what.find("DefaultCPUAllocator: ");
    if (allocator == std::string_view::npos) throw;
    throw Error(ExitCode::kBug,
                std::string(kOutOfHostMemory) + ": " + std::string(what.substr(allocator)));
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
