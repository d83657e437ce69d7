#pragma once

#include <cstdint>
#include <variant>

#include "base/random.h"
#include "kernels/launch/scalar_type.h"

/// How counter_random fills memory: plain pointers, the same contract for every device.
namespace ganscale::kernels {

/// The rows that a fill writes, one an image, contiguous.
struct RandomRows {
  ImageRandom images;
  Stream stream = Stream::kSamples;
  std::uint32_t site = 0;
  std::int64_t row_count = 0;
  std::int64_t row_length = 0;             ///< elements
  ScalarType type = ScalarType::kFloat32;  ///< or kFloat64
};

/// Returns the words of block `block` of row `row`.
constexpr std::array<std::uint32_t, 4> words_of(const RandomRows& rows, std::int64_t row,
                                                std::int64_t block) {
  const auto image = static_cast<std::uint64_t>(image_number(rows.images, row));
  return random_block(rows.images.seed, rows.stream, image, rows.site,
                      static_cast<std::uint32_t>(block));
}

/// Returns a number in [0, 1): the word's 32 bits in a double, its upper 24 in a float.
template <class T>
constexpr T unit_interval(std::uint32_t word) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(word >> 8) * T(0x1p-24);
  } else {
    return static_cast<T>(word) * T(0x1p-32);
  }
}

/// Standard normal numbers: each two words give two.
struct Normal {};

/// Numbers in [0, 1): each word gives its unit_interval().
struct Uniform {};

/// A dropout mask: a word below the threshold drops its element, others are scaled.
struct Dropout {
  std::uint32_t threshold = 0;  ///< probability to drop * 2^32
  double scale = 1;
};

using Distribution = std::variant<Normal, Uniform, Dropout>;

/// Fills host memory, on all threads of ATen.
void random_numbers_reference(void* out, const RandomRows& rows, const Distribution& distribution);

/// The same in device memory, in `cuda_stream` (a cudaStream_t) of the current device. Throws
/// DeviceError if the launch fails, and in a build without CUDA.
void random_numbers_kernel(void* out, const RandomRows& rows, const Distribution& distribution,
                           void* cuda_stream);

}  // namespace ganscale::kernels
