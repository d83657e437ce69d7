#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/launch/dispatch.h"
#include "kernels/multi_tensor_adam/fill.h"

namespace ganscale::kernels {
namespace {

/// A part of a parameter that fits into a core's cache. Threads work on chunks, so that many small
/// parameters take as long as a large one.
struct Chunk {
  const AdamArrays* arrays = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

std::vector<Chunk> chunks_of(std::span<const AdamArrays> arrays) {
  constexpr std::int64_t kLength = 8192;
  std::vector<Chunk> chunks;
  for (const AdamArrays& one : arrays) {
    for (std::int64_t begin = 0; begin < one.element_count; begin += kLength) {
      chunks.push_back({&one, begin, std::min(begin + kLength, one.element_count)});
    }
  }
  return chunks;
}

template <class T>
AdamFactors<T> factors_at(const AdamTask& task, float step) {
  return factors_of<T>(task, 1 - std::pow(task.rule.beta1, step),
                       std::sqrt(1 - std::pow(task.rule.beta2, step)));
}

template <bool kAverages, class T>
[[gnu::always_inline]] inline void update(const Chunk& chunk, const AdamFactors<T>& f) {
  const AdamArrays& arrays = *chunk.arrays;
  auto* parameter = static_cast<T*>(arrays.parameter);
  const auto* gradient = static_cast<const T*>(arrays.gradient);
  auto* first = static_cast<T*>(arrays.first_moment);
  auto* second = static_cast<T*>(arrays.second_moment);
  auto* average = static_cast<T*>(arrays.average);
#pragma GCC ivdep  // no array overlaps another
  for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
    const T slope = gradient[i] + f.decay * parameter[i];
    first[i] += f.gradient_part * (slope - first[i]);
    second[i] = f.beta2 * second[i] + f.square_part * slope * slope;
    const T root = std::sqrt(second[i]) * f.root_scale + f.epsilon;
    parameter[i] = f.shrink * parameter[i] - f.step_size * first[i] / root;
    if constexpr (kAverages) {
      average[i] = parameter[i] + f.average_beta * (average[i] - parameter[i]);
    }
  }
}

/// The average of parameters that stay as they are.
template <class T>
void follow(const Chunk& chunk, T beta) {
  const auto* parameter = static_cast<const T*>(chunk.arrays->parameter);
  auto* average = static_cast<T*>(chunk.arrays->average);
  if (average == nullptr) return;
  for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
    average[i] = parameter[i] + beta * (average[i] - parameter[i]);
  }
}

template <class T>
[[gnu::always_inline]] inline void update_either(const Chunk& chunk, const AdamFactors<T>& f) {
  if (chunk.arrays->average != nullptr) return update<true>(chunk, f);
  update<false>(chunk, f);
}

template <class T>
void update_baseline(const Chunk& chunk, const AdamFactors<T>& f) {
  update_either(chunk, f);
}

#ifdef __x86_64__
// The same with wider vectors. Without fused multiply-adds, which round differently.
template <class T>
[[gnu::target("avx2")]] void update_avx2(const Chunk& chunk, const AdamFactors<T>& f) {
  update_either(chunk, f);
}

#endif

template <class T>
auto best_update() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return update_avx2<T>;
#endif
  return update_baseline<T>;
}

template <class T>
void update_all(std::span<const AdamArrays> arrays, const AdamTask& task) {
  const std::vector<Chunk> chunks = chunks_of(arrays);
  const auto update_chunk = best_update<T>();
  const bool is_skipped = task.skip != nullptr && *task.skip != 0;
  const auto count = static_cast<std::int64_t>(chunks.size());
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (is_skipped) {
        follow(chunks[i], static_cast<T>(task.average_beta));
      } else {
        update_chunk(chunks[i], factors_at<T>(task, *chunks[i].arrays->step));
      }
    }
  });
}

}  // namespace

void multi_tensor_adam_reference(std::span<const AdamArrays> arrays, const AdamTask& task) {
  dispatch_full_precision(task.type, "multi_tensor_adam",
                          [&]<class T>() { update_all<T>(arrays, task); });
}

}  // namespace ganscale::kernels
