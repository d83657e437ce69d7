#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/gpu.h"

namespace ganscale::device {

/// Runs an action, and translates LibTorch's errors of a device into ours.
///
/// Throws: DeviceError for a device that failed (c10::AcceleratorError, or a status of cuBLAS,
///         cuDNN or cuSOLVER), Error(kBug), which is not retried, if a GPU (c10::OutOfMemoryError)
///         or the host is out of memory; otherwise what the action throws.
void translate_errors(const std::function<void()>& action);

/// Returns the message for a GPU that ran out of memory.
///
/// what: LibTorch's own words.
/// gpus: the memory of each visible GPU; those that this process has not used are left out.
std::string out_of_memory_text(const std::string& what, const std::vector<DeviceMemory>& gpus);

}  // namespace ganscale::device
