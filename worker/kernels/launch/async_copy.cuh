#pragma once

#include <cuda_pipeline.h>

#include "kernels/launch/vector.cuh"

/// Copies to shared memory in the background, on devices of compute capability 8.0 and higher; on
/// others they take the thread's time.
namespace ganscale::kernels {

/// Starts to copy a vector of 16 bytes, or writes zeros if `is_there` is false; `from` is an
/// address of the device's memory in both cases.
template <class Stored, int kWidth>
__device__ void copy_async(const Stored* from, bool is_there, Vector<Stored, kWidth>* to) {
  static_assert(sizeof(*to) == kVectorBytes);
  __pipeline_memcpy_async(to, from, kVectorBytes, is_there ? 0 : kVectorBytes);
}

/// Ends a group of copies that the thread has started, which may be empty.
__device__ inline void end_copies() { __pipeline_commit(); }

/// Waits for all groups of the thread but the newest `kNewest`.
template <int kNewest>
__device__ void wait_for_copies() {
  __pipeline_wait_prior(kNewest);
}

}  // namespace ganscale::kernels
