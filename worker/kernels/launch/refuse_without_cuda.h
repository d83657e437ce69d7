#pragma once

#include <string>

#include "base/error.h"

namespace ganscale::kernels {

/// Throws the DeviceError of a kernel that this build lacks: all that the stubs do.
[[noreturn]] inline void refuse_without_cuda(const char* kernel) {
  throw DeviceError(std::string(kernel) + " on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
