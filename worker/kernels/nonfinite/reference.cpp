#include <ATen/Parallel.h>

#include <atomic>
#include <limits>

#include "kernels/launch/dispatch.h"
#include "kernels/nonfinite/fill.h"

namespace ganscale::kernels {
namespace {

/// x - x is 0 where x is finite, else NaN. Adds without a branch, so that vectors do it.
template <class T>
bool has_nonfinite(const T* data, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  T sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += data[i + lane] - data[i + lane];
    }
  }
  for (; i < count; ++i) sums[0] += data[i] - data[i];
  for (const T sum : sums) {
    if (sum != 0) return true;  // NaN is
  }
  return false;
}

template <class T>
void look_through(std::span<const NonfiniteArray> arrays, const NonfiniteTask& task) {
  constexpr std::int64_t kGrain = 1 << 16;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto* data = static_cast<const T*>(arrays[i].data);
    std::atomic<bool> found = false;
    at::parallel_for(0, arrays[i].element_count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      if (has_nonfinite(data + begin, end - begin)) found = true;
    });
    if (found) *task.any = task.flags[i] = 1;
  }
}

}  // namespace

void nonfinite_reference(std::span<const NonfiniteArray> arrays, const NonfiniteTask& task) {
  dispatch_full_precision(task.type, "nonfinite_flags",
                          [&]<class T>() { look_through<T>(arrays, task); });
}

}  // namespace ganscale::kernels
