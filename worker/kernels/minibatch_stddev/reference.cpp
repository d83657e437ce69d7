#include <ATen/Parallel.h>

#include <cmath>

#include "kernels/launch/dispatch.h"
#include "kernels/minibatch_stddev/fill.h"

namespace ganscale::kernels {
namespace {

template <class T>
T mean_stddev(const T* x, std::int64_t cell, const StddevShape& shape) {
  const std::int64_t stride = shape.group_count * shape.feature_count * shape.value_count;
  const T* first = x + cell * shape.value_count;
  T total = 0;
  for (std::int64_t value = 0; value < shape.value_count; ++value) {
    T mean = 0;
    for (std::int64_t i = 0; i < shape.group_size; ++i) mean += first[value + i * stride];
    mean /= static_cast<T>(shape.group_size);
    T variance = 0;
    for (std::int64_t i = 0; i < shape.group_size; ++i) {
      const T difference = first[value + i * stride] - mean;
      variance += difference * difference;
    }
    variance /= static_cast<T>(shape.group_size);
    total += std::sqrt(variance + static_cast<T>(kStddevEpsilon));
  }
  return total / static_cast<T>(shape.value_count);
}

template <class T>
void fill_stddev(const void* x, void* out, const StddevShape& shape) {
  at::parallel_for(
      0, shape.group_count * shape.feature_count, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t cell = begin; cell < end; ++cell) {
          static_cast<T*>(out)[cell] = mean_stddev(static_cast<const T*>(x), cell, shape);
        }
      });
}

}  // namespace

void minibatch_stddev_reference(const void* x, void* out, const StddevShape& shape) {
  dispatch_full_precision(shape.type, "the reference of minibatch_stddev",
                          [&]<class T>() { fill_stddev<T>(x, out, shape); });
}

}  // namespace ganscale::kernels
