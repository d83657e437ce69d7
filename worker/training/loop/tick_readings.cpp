#include "training/loop/tick_readings.h"

#include <ATen/ops/tensor.h>

namespace ganscale::training {
namespace {

double mean(double sum, double count) { return count > 0 ? sum / count : 0; }

}  // namespace

TickReadings gather_readings(comm::Group& group, const Readings& before, const Readings& now,
                             double seconds) {
  const double data_wait = now.loader.wait_seconds - before.loader.wait_seconds;
  const double all_reduce = now.all_reduce.exposed_seconds - before.all_reduce.exposed_seconds;
  // A loader has at least one thread.
  const double loads = now.loader.reader_threads > 0 ? 1 : 0;
  const double averages = now.all_reduce.bytes > 0 ? 1 : 0;
  const auto options = at::TensorOptions(at::kDouble);
  const at::Tensor sums =
      at::tensor({data_wait / seconds, loads, all_reduce / seconds, averages}, options);
  const at::Tensor highest = at::tensor(
      {static_cast<double>(now.loader.reader_threads), now.loader.read_tail_seconds}, options);
  group.all_reduce_sum(sums);
  group.all_reduce_max(highest);
  const auto* sum = sums.const_data_ptr<double>();
  const auto* most = highest.const_data_ptr<double>();
  return {.data_wait_share = mean(sum[0], sum[1]),
          .reader_threads = static_cast<int>(most[0]),
          .read_tail_seconds = most[1],
          .all_reduce_share = mean(sum[2], sum[3])};
}

}  // namespace ganscale::training
