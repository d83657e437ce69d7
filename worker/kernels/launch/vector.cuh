#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

/// Accesses to device memory of several elements at once.
namespace ganscale::kernels {

constexpr int kVectorBytes = 16;  // the most that a thread reads at once

/// Returns whether all of these arrays, null ones among them, begin at a multiple of `bytes`.
inline bool are_aligned(std::initializer_list<const void*> arrays,
                        std::size_t bytes = kVectorBytes) {
  return std::all_of(arrays.begin(), arrays.end(), [bytes](const void* array) {
    return reinterpret_cast<std::uintptr_t>(array) % bytes == 0;
  });
}

/// Elements that one access reads or writes.
template <class Stored, int kWidth>
struct alignas(sizeof(Stored) * kWidth) Vector {
  Stored at[kWidth];
};

template <class Stored, int kWidth>
__device__ Vector<Stored, kWidth> read_vector(const Stored* first) {
  return *reinterpret_cast<const Vector<Stored, kWidth>*>(first);
}

template <class Stored, int kWidth>
__device__ void write_vector(const Vector<Stored, kWidth>& vector, Stored* first) {
  *reinterpret_cast<Vector<Stored, kWidth>*>(first) = vector;
}

/// What a kernel knows of its elements when it is compiled: Stored is the type in memory, T the
/// type of the computation, and an access takes kWidth of them.
template <class Stored_, class T_, int kWidth_>
struct VectorForm {
  using Stored = Stored_;
  using T = T_;
  static constexpr int kWidth = kWidth_;
};

}  // namespace ganscale::kernels
