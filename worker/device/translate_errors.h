#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/gpu.h"

namespace ganscale::device {

/// Runs an action, and throws what LibTorch says of a device as an error of ours.
///
/// Throws: DeviceError for a device that failed (c10::AcceleratorError), Error(kBug), which is not
///         retried, where a GPU's memory is not enough (c10::OutOfMemoryError); otherwise what the
///         action throws.
void translate_errors(const std::function<void()>& action);

/// Returns what to say where a GPU's memory was not enough.
///
/// what: LibTorch's own words.
/// gpus: the memory of each visible GPU; those that this process has not used are left out.
std::string out_of_memory_text(const std::string& what, const std::vector<DeviceMemory>& gpus);

}  // namespace ganscale::device
