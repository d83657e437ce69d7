#pragma once

#include <c10/core/Device.h>

#include <string>

namespace CLI {
class App;
}

namespace ganscale::cli {

/// Adds --device: auto, cpu or gpu.
void add_device_option(CLI::App& verb, std::string& kind);

/// Makes the chosen device that of this process, which is alone: the first GPU, or the CPU. It
/// computes without TF32, so that images are the same on all devices but for rounding.
/// Throws: DeviceError if a GPU is requested and there is none.
c10::Device open_device(const std::string& kind);

}  // namespace ganscale::cli
