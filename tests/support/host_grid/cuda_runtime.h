#pragma once

#include <math.h>  // as CUDA's, it makes the functions of <cmath> known without std::

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>

/// Stands in for CUDA's header where tests compile kernels for the host. The blocks of a grid follow
/// one another; what lies in shared memory is static. A program links host_grid.cpp, where each
/// thread of a block is a thread of the host and ThreadSanitizer sees those that do not wait for
/// each other, or fiber_grid.cpp, where they take turns on one, a hundred times as fast.
///
/// It knows what our kernels use and no more. One grid at a time.

#define __global__
#define __device__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static

struct dim3 {
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  unsigned x, y, z;
};

inline thread_local dim3 threadIdx;
inline thread_local dim3 blockIdx;
inline dim3 blockDim;
inline dim3 gridDim;

namespace ganscale::host_grid {

/// Calls `kernel` as every thread of every block. Returns whether a device would.
bool run(dim3 blocks, dim3 threads, const std::function<void()>& kernel);

void wait_for_block();

/// Whether a sanitizer looks on: tests then take few sizes.
bool is_slow();

/// Returns what the thread `offset` lanes further in the warp passes: all of them call it together.
std::uint64_t from_higher_lane(std::uint64_t mine, unsigned offset);

}  // namespace ganscale::host_grid

inline void __syncthreads() { ganscale::host_grid::wait_for_block(); }

template <class T>
T __shfl_down_sync(unsigned, T value, unsigned offset) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = ganscale::host_grid::from_higher_lane(bits, offset);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

inline float atomicExch(float* at, float value) { return std::atomic_ref(*at).exchange(value); }

inline void sincospi(double x, double* sine, double* cosine) { sincos(M_PI * x, sine, cosine); }
inline void sincospif(float x, float* sine, float* cosine) {
  sincosf(static_cast<float>(M_PI) * x, sine, cosine);
}

enum cudaError_t { cudaSuccess, cudaErrorInvalidConfiguration };
using cudaStream_t = void*;

inline const char* cudaGetErrorString(cudaError_t) { return "invalid configuration argument"; }

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  cudaStream_t stream;
};

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               const Arguments&... arguments) {
  const bool ran =
      ganscale::host_grid::run(config->gridDim, config->blockDim, [&] { kernel(arguments...); });
  return ran ? cudaSuccess : cudaErrorInvalidConfiguration;
}
