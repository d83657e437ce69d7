#include "comm/preflight/bandwidth.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>

#include "base/stopwatch.h"
#include "comm/collectives/numbers.h"

namespace ganscale::comm {
namespace {

constexpr std::int64_t kFewestElements = 1 << 18;  // 1 MiB of float32
constexpr std::int64_t kMostElements = 1 << 26;
constexpr std::int64_t kGrowth = 4;
constexpr double kEnoughSeconds = 0.1;

/// Returns how long an all-reduce took the slowest rank. The exchange of the times has all ranks
/// begin the next one together.
double seconds_of(Group& group, const at::Tensor& data) {
  const Stopwatch watch;
  group.all_reduce_sum(data);
  if (!data.is_cpu()) data[0].item();  // the host waits for the GPU
  double seconds = watch.seconds();
  all_reduce_max(group, {&seconds});
  return seconds;
}

}  // namespace

double bus_gigabytes_per_second(Group& group, c10::Device device) {
  if (group.size() == 1) return 0;
  std::int64_t element_count = kFewestElements;
  const auto make = [&] {
    return at::zeros({element_count}, at::TensorOptions(at::kFloat).device(device));
  };
  at::Tensor data = make();
  seconds_of(group, data);  // opens the connections
  while (element_count < kMostElements && seconds_of(group, data) < kEnoughSeconds) {
    element_count *= kGrowth;
    data = make();
    seconds_of(group, data);  // touches the pages
  }
  std::array<double, 5> seconds{};
  for (double& each : seconds) each = seconds_of(group, data);
  std::ranges::nth_element(seconds, seconds.begin() + seconds.size() / 2);
  const double share = 2.0 * (group.size() - 1) / group.size();
  return share * static_cast<double>(data.nbytes()) / seconds[seconds.size() / 2] / 1e9;
}

}  // namespace ganscale::comm
