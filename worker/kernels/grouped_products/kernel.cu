#include <cuda_runtime.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/grouped_products/fill.h"
#include "kernels/launch/dispatch.h"
#include "kernels/launch/launch.cuh"

namespace ganscale::kernels {
namespace {

constexpr int kSide = 32;  // of a tile: of the result, or of an operand
constexpr int kRows = 4;   // of the tile that a thread computes

struct Products {
  ProductPlace places[kMostProductPlaces];
  ProductTerm terms[kMostProductTerms];
};
static_assert(sizeof(Products) <= 4096);

template <class T>
using Tile = T[kSide][kSide + 1];  // one more, so that columns lie in different banks

// Reads the tile that begins at a row and a column; beyond the matrix it is 0. Neighboring threads
// read neighbors in memory.
template <class T>
__device__ void read_tile(const MatrixView& matrix, dim3 first, dim3 size, Tile<T>& tile) {
  const bool along_rows = matrix.column_stride == 1;
  for (unsigned i = threadIdx.y; i < kSide; i += blockDim.y) {
    const unsigned y = along_rows ? i : threadIdx.x;
    const unsigned x = along_rows ? threadIdx.x : i;
    const std::int64_t row = first.y + y;
    const std::int64_t column = first.x + x;
    tile[y][x] = row < size.y && column < size.x
                     ? static_cast<const T*>(
                           matrix.data)[row * matrix.row_stride + column * matrix.column_stride]
                     : T(0);
  }
}

// Blocks with one blockIdx.z compute one place, a tile each.
template <class T>
__global__ void multiply(const __grid_constant__ Products products) {
  __shared__ Tile<T> left;
  __shared__ Tile<T> right;
  const ProductPlace& place = products.places[blockIdx.z];
  const auto rows = static_cast<unsigned>(place.rows);
  const auto columns = static_cast<unsigned>(place.columns);
  const unsigned row = blockIdx.y * kSide;
  const unsigned column = blockIdx.x * kSide;
  if (row >= rows || column >= columns) return;
  T sums[kRows] = {};
  for (int i = 0; i < place.term_count; ++i) {
    const ProductTerm& term = products.terms[place.first_term + i];
    const auto depth = static_cast<unsigned>(term.depth);
    for (unsigned first = 0; first < depth; first += kSide) {
      read_tile<T>(term.left, {first, row}, {depth, rows}, left);
      read_tile<T>(term.right, {column, first}, {columns, depth}, right);
      __syncthreads();
      for (int k = 0; k < kSide; ++k) {
        const T factor = right[k][threadIdx.x];
        for (int r = 0; r < kRows; ++r) {
          sums[r] += left[threadIdx.y + r * blockDim.y][k] * factor;
        }
      }
      __syncthreads();
    }
  }
  for (int r = 0; r < kRows; ++r) {
    const std::int64_t of_thread = row + threadIdx.y + r * blockDim.y;
    if (of_thread < rows && column + threadIdx.x < columns) {
      static_cast<T*>(place.out)[of_thread * place.row_stride + column + threadIdx.x] = sums[r];
    }
  }
}

unsigned tiles(std::int32_t elements) {
  return static_cast<unsigned>((elements + kSide - 1) / kSide);
}

}  // namespace

void grouped_products_kernel(std::span<const ProductPlace> places,
                             std::span<const ProductTerm> terms, ScalarType type, void* stream) {
  check(places.size() <= kMostProductPlaces && terms.size() <= kMostProductTerms,
        "a launch of grouped_products takes 40 places and 40 terms");
  Products products;
  std::copy(places.begin(), places.end(), products.places);
  std::copy(terms.begin(), terms.end(), products.terms);
  dim3 blocks(0, 0, static_cast<unsigned>(places.size()));
  for (const ProductPlace& place : places) {
    blocks.x = std::max(blocks.x, tiles(place.columns));
    blocks.y = std::max(blocks.y, tiles(place.rows));
  }
  const Grid grid = {blocks, dim3(kSide, kSide / kRows)};
  dispatch_full_precision(type, "grouped_products", [&]<class T>() {
    launch_kernel("grouped_products", grid, stream, multiply<T>, products);
  });
}

}  // namespace ganscale::kernels
