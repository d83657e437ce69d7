#pragma once

#include "comm/group/group.h"
#include "training/loop/trainer.h"

namespace ganscale::training {

/// What the ranks have read and waited for in a tick. Ranks not involved do not count, such
/// as those that train only a generator and load no images.
struct TickReadings {
  double data_wait_share = 0;    ///< part of the time in [0, 1], mean over the ranks with a loader
  int reader_threads = 0;        ///< now, of the rank with the most
  double read_tail_seconds = 0;  ///< now, of the rank with the slowest reads
  double all_reduce_share = 0;   ///< mean over the ranks that have averaged gradients with others
};

/// Returns the readings of all ranks together. Every rank calls it. before, now: of this rank,
/// at the start and at the end of the tick; seconds: of training in between, greater than 0.
TickReadings gather_readings(comm::Group& group, const Readings& before, const Readings& now,
                             double seconds);

}  // namespace ganscale::training
