#include <cuda_runtime.h>

#include "kernels/launch/dispatch.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/row_sums/fill.h"

namespace ganscale::kernels {
namespace {

constexpr unsigned kColumns = 8;  // of a block: 32 bytes, the least that memory is read in
constexpr unsigned kShares = 32;  // of a column's rows

// Stored is the type in memory of the sums, T the type of the rows.
template <class Stored, class T>
__global__ void fill(RowSums sums) {
  constexpr int kAhead = 4;  // reads that need not wait for each other
  const auto* rows = static_cast<const T*>(sums.rows);
  const std::int64_t column = std::int64_t{blockIdx.x} * kColumns + threadIdx.x;
  T some[kAhead] = {};
  for (std::int64_t first = threadIdx.y; first < sums.row_count; first += kAhead * kShares) {
    for (int k = 0; k < kAhead; ++k) {
      const std::int64_t row = first + k * std::int64_t{kShares};
      if (row < sums.row_count && column < sums.column_count) {
        some[k] += rows[row * sums.column_count + column];
      }
    }
  }
  __shared__ T of_share[kShares][kColumns];
  of_share[threadIdx.y][threadIdx.x] = (some[0] + some[1]) + (some[2] + some[3]);
  __syncthreads();
  if (threadIdx.y != 0 || column >= sums.column_count) return;
  T sum = 0;
  for (unsigned share = 0; share < kShares; ++share) sum += of_share[share][threadIdx.x];
  static_cast<Stored*>(sums.out)[column] = static_cast<Stored>(sum);
}

template <class Stored, class T>
void launch(const RowSums& sums, void* stream) {
  const auto blocks = static_cast<unsigned>((sums.column_count + kColumns - 1) / kColumns);
  launch_kernel("row_sums", {blocks, dim3(kColumns, kShares)}, stream, fill<Stored, T>, sums);
}

}  // namespace

void row_sums_kernel(const RowSums& sums, void* stream) {
  dispatch_all_types(sums.type, [&]<class Stored, class T>() { launch<Stored, T>(sums, stream); });
}

}  // namespace ganscale::kernels
