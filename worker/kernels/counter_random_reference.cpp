#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kernels/counter_random_fill.h"

namespace ganscale::kernels {
namespace {

// Box-Muller. The half keeps the logarithm away from 0; the largest radius is sqrt(66 ln 2) = 6.8.
template <class T>
struct Normal {
  std::array<T, 4> operator()(const std::array<std::uint32_t, 4>& words) const {
    std::array<T, 4> out{};
    for (std::size_t i = 0; i < 4; i += 2) {
      const T radius =
          std::sqrt(T(-2) * std::log((static_cast<T>(words[i]) + T(0.5)) * T(0x1p-32)));
      const T angle = T(2 * std::numbers::pi) * unit_interval<T>(words[i + 1]);
      out[i] = radius * std::cos(angle);
      out[i + 1] = radius * std::sin(angle);
    }
    return out;
  }
};

template <class T>
struct Uniform {
  std::array<T, 4> operator()(const std::array<std::uint32_t, 4>& words) const {
    return {unit_interval<T>(words[0]), unit_interval<T>(words[1]), unit_interval<T>(words[2]),
            unit_interval<T>(words[3])};
  }
};

template <class T>
struct Mask {
  Dropout dropout;
  std::array<T, 4> operator()(const std::array<std::uint32_t, 4>& words) const {
    std::array<T, 4> out{};
    for (std::size_t i = 0; i < 4; ++i) {
      out[i] = words[i] < dropout.threshold ? T(0) : static_cast<T>(dropout.scale);
    }
    return out;
  }
};

template <class T, class Draw>
void fill(T* out, const RandomRows& rows, Draw draw) {
  constexpr std::int64_t kGrainBlocks = 1024;
  const std::int64_t blocks_per_row = (rows.row_length + 3) / 4;
  at::parallel_for(0, rows.row_count * blocks_per_row, kGrainBlocks,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                       const std::int64_t row = i / blocks_per_row;
                       const std::int64_t block = i % blocks_per_row;
                       const std::array<T, 4> values = draw(words_of(rows, row, block));
                       const std::int64_t first = block * 4;
                       const auto count = std::min<std::int64_t>(4, rows.row_length - first);
                       std::copy_n(values.begin(), count, out + row * rows.row_length + first);
                     }
                   });
}

}  // namespace

template <class T>
void fill_normal_reference(T* out, const RandomRows& rows) {
  fill(out, rows, Normal<T>{});
}

template <class T>
void fill_uniform_reference(T* out, const RandomRows& rows) {
  fill(out, rows, Uniform<T>{});
}

template <class T>
void fill_dropout_reference(T* out, const RandomRows& rows, const Dropout& dropout) {
  fill(out, rows, Mask<T>{dropout});
}

template void fill_normal_reference(float*, const RandomRows&);
template void fill_normal_reference(double*, const RandomRows&);
template void fill_uniform_reference(float*, const RandomRows&);
template void fill_uniform_reference(double*, const RandomRows&);
template void fill_dropout_reference(float*, const RandomRows&, const Dropout&);
template void fill_dropout_reference(double*, const RandomRows&, const Dropout&);

}  // namespace ganscale::kernels
