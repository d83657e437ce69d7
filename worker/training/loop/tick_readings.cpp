#include "training/loop/tick_readings.h"

#include "comm/collectives/numbers.h"

namespace ganscale::training {
namespace {

double mean(double sum, double count) { return count > 0 ? sum / count : 0; }

}  // namespace

TickReadings gather_readings(comm::Group& group, const Readings& before, const Readings& now,
                             double seconds) {
  double data_wait = now.loader.wait_seconds - before.loader.wait_seconds;
  double all_reduce = now.all_reduce.exposed_seconds - before.all_reduce.exposed_seconds;
  // A loader has at least one thread.
  double loading_ranks = now.loader.reader_threads > 0 ? 1 : 0;
  double averaging_ranks = now.all_reduce.bytes > 0 ? 1 : 0;
  std::int64_t reader_threads = now.loader.reader_threads;
  double read_tail_seconds = now.loader.read_tail_seconds;
  comm::all_reduce_sum(group, {&data_wait, &loading_ranks, &all_reduce, &averaging_ranks});
  comm::all_reduce_max(group, {&reader_threads});
  comm::all_reduce_max(group, {&read_tail_seconds});
  return {.data_wait_share = mean(data_wait / seconds, loading_ranks),
          .reader_threads = static_cast<int>(reader_threads),
          .read_tail_seconds = read_tail_seconds,
          .all_reduce_share = mean(all_reduce / seconds, averaging_ranks)};
}

}  // namespace ganscale::training
