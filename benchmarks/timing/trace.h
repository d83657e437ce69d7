#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <functional>

namespace ganscale::benchmarks {

/// Runs the work and writes a trace of it in Chrome's format for traces.py: the kernels, copies and
/// calls of CUDA, as CUPTI sees them, those inside CUDA graphs too; on the CPU the operators. Calls
/// take longer than without.
void write_trace(c10::Device device, const std::filesystem::path& file,
                 const std::function<void()>& work);

}  // namespace ganscale::benchmarks
