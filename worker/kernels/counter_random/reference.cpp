#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <variant>

#include "kernels/counter_random/fill.h"
#include "kernels/launch/dispatch.h"

namespace ganscale::kernels {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::size_t kGroup = 4 * kLanes;  // elements

template <class T>
using Group = std::array<T, kGroup>;

// Returns the words of 32 blocks of a row, as words_of() does for one. The compiler vectorizes a
// loop over this many lanes; it would unroll one over fewer.
Group<std::uint32_t> words_of_group(const RandomRows& rows, std::int64_t row, std::int64_t group) {
  const auto image = static_cast<std::uint64_t>(image_number(rows.images, row));
  std::array<std::uint32_t, kLanes> word0;
  std::array<std::uint32_t, kLanes> word1;
  std::array<std::uint32_t, kLanes> word2;
  std::array<std::uint32_t, kLanes> word3;
  const auto first =
      random_counter(rows.stream, image, rows.site, static_cast<std::uint32_t>(group * kLanes));
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    word0[lane] = first[0] + static_cast<std::uint32_t>(lane);
    word1[lane] = first[1];
    word2[lane] = first[2];
    word3[lane] = first[3];
  }
  auto [key0, key1] = random_key(rows.images.seed);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t product0 = std::uint64_t{0xD2511F53} * word0[lane];
      const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * word2[lane];
      word0[lane] = static_cast<std::uint32_t>(product1 >> 32) ^ word1[lane] ^ key0;
      word1[lane] = static_cast<std::uint32_t>(product1);
      word2[lane] = static_cast<std::uint32_t>(product0 >> 32) ^ word3[lane] ^ key1;
      word3[lane] = static_cast<std::uint32_t>(product0);
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  Group<std::uint32_t> words;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    words[4 * lane] = word0[lane];
    words[4 * lane + 1] = word1[lane];
    words[4 * lane + 2] = word2[lane];
    words[4 * lane + 3] = word3[lane];
  }
  return words;
}

// Box-Muller. The half keeps the logarithm away from 0; the largest radius is sqrt(66 ln 2) = 6.8.
template <class T>
void draw(Normal, const Group<std::uint32_t>& words, Group<T>& out) {
  for (std::size_t i = 0; i < kGroup; i += 2) {
    const T radius = std::sqrt(T(-2) * std::log((static_cast<T>(words[i]) + T(0.5)) * T(0x1p-32)));
    const T angle = T(2 * std::numbers::pi) * unit_interval<T>(words[i + 1]);
    out[i] = radius * std::cos(angle);
    out[i + 1] = radius * std::sin(angle);
  }
}

template <class T>
void draw(Uniform, const Group<std::uint32_t>& words, Group<T>& out) {
  for (std::size_t i = 0; i < kGroup; ++i) out[i] = unit_interval<T>(words[i]);
}

template <class T>
void draw(const Dropout& dropout, const Group<std::uint32_t>& words, Group<T>& out) {
  const std::uint32_t threshold = dropout.threshold;
  const T kept = static_cast<T>(dropout.scale);
  const T dropped = 0;
  for (std::size_t i = 0; i < kGroup; ++i) out[i] = words[i] < threshold ? dropped : kept;
}

template <class T, class Numbers>
void fill(T* out, const RandomRows& rows, const Numbers& numbers) {
  constexpr std::int64_t kGrainGroups = 128;
  constexpr auto kSize = static_cast<std::int64_t>(kGroup);
  const std::int64_t groups_per_row = (rows.row_length + kSize - 1) / kSize;
  const auto fill_groups = [&](std::int64_t begin, std::int64_t end) {
    Group<T> values;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i / groups_per_row;
      const std::int64_t group = i % groups_per_row;
      draw(numbers, words_of_group(rows, row, group), values);
      const std::int64_t first = group * kSize;
      std::copy_n(values.begin(), std::min(kSize, rows.row_length - first),
                  out + row * rows.row_length + first);
    }
  };
  at::parallel_for(0, rows.row_count * groups_per_row, kGrainGroups, fill_groups);
}

}  // namespace

void random_numbers_reference(void* out, const RandomRows& rows, const Distribution& distribution) {
  dispatch_full_precision(rows.type, "the reference of counter_random", [&]<class T>() {
    std::visit([&](const auto& numbers) { fill(static_cast<T*>(out), rows, numbers); },
               distribution);
  });
}

}  // namespace ganscale::kernels
