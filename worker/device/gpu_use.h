#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <optional>

namespace ganscale::device {

/// Returns the mean share of time, in [0, 1], in which a GPU ran kernels of any process over the
/// last seconds, or over the part of them of which the driver still has samples: what nvidia-smi
/// calls GPU utilization. Nothing for a CPU, or if the driver does not report it.
std::optional<double> gpu_use(c10::Device device, std::chrono::duration<double> last);

}  // namespace ganscale::device
