// Replaces gpu_use_cuda.cpp in a build without CUDA.
#include "device/gpu_use.h"

namespace ganscale::device {

std::optional<double> gpu_use(c10::Device /*device*/, std::chrono::duration<double> /*last*/) {
  return std::nullopt;
}

}  // namespace ganscale::device
