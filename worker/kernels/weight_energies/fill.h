#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/launch/scalar_type.h"

/// How weight_energies() computes: plain pointers.
namespace ganscale::kernels {

/// Of one weight, which has `taps` numbers for each pair of channels.
struct EnergyArrays {
  void* out = nullptr;             ///< [pairs], or [pairs, taps] for the gradient
  const void* weight = nullptr;    ///< [pairs, taps]
  const void* gradient = nullptr;  ///< of the energies, [pairs]; null: wanted are the energies
  std::int32_t pair_count = 0;
  std::int32_t taps = 1;
};

/// Of a launch, whose arguments fill at most 4 KiB.
constexpr std::size_t kMostEnergyArrays = 64;

/// Writes out[i] = sum over k of weight[i, k]^2, or out[i, k] = 2 weight[i, k] gradient[i], in device
/// memory, in `cuda_stream` (a cudaStream_t) of the current device: one launch. Throws DeviceError
/// if it fails, and in a build without CUDA.
///
/// type: kFloat32 or kFloat64.
void weight_energies_kernel(std::span<const EnergyArrays> arrays, ScalarType type,
                            void* cuda_stream);

}  // namespace ganscale::kernels
