#pragma once

#include <string>
#include <string_view>

namespace ganscale::device {

/// The generation of a GPU: 8.0 is that of an A100, 9.0 that of an H100.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

/// Throws ConfigError if a build has no kernels that a GPU can run.
///
/// architectures: what the build has kernels for, as CMAKE_CUDA_ARCHITECTURES with commas:
///                "80-real,90". Without "-real", they include code that the drivers of later GPUs
///                compile.
void require_kernels_for(const std::string& gpu, ComputeCapability capability,
                         std::string_view architectures);

}  // namespace ganscale::device
