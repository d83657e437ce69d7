#pragma once

#include <chrono>
#include <cstdint>

#include "comm/group/group.h"

namespace ganscale::training {

/// The time that a run has left, from now on.
class Budget {
 public:
  /// seconds: infinite for no limit.
  explicit Budget(double seconds) : seconds_(seconds), start_(Clock::now()) {}

  bool spent() const { return seconds_left() <= 0; }

  /// Infinite without a limit.
  double seconds_left() const {
    const std::chrono::duration<double> since = Clock::now() - start_;
    return seconds_ - since.count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_;
  Clock::time_point start_;
};

/// Returns how often an action is due that is to happen every `every_kimg`: how many multiples of it
/// are in (before, after]. 0 is never.
constexpr std::int64_t times_due(double every_kimg, std::int64_t images_before,
                                 std::int64_t images_after) {
  if (every_kimg <= 0) return 0;
  const double every_images = every_kimg * 1000;
  return static_cast<std::int64_t>(static_cast<double>(images_after) / every_images) -
         static_cast<std::int64_t>(static_cast<double>(images_before) / every_images);
}

/// Returns whether such an action is due.
constexpr bool is_due(double every_kimg, std::int64_t images_before, std::int64_t images_after) {
  return times_due(every_kimg, images_before, images_after) > 0;
}

/// What this rank requests at the end of a step or, once agreed, what all ranks do.
struct Orders {
  bool stop = false;  ///< write a checkpoint and end with 143
  bool finish =
      false;  ///< write a checkpoint and end with 0: the command "stop", or what was to be measured is
  bool spent = false;       ///< the budget is used up: evaluate, write a checkpoint and end with 0
  bool checkpoint = false;  ///< write a checkpoint and continue
  bool pause = false;
  bool fail = false;  ///< this rank can't continue, for example because the disk is full

  /// Whether the run ends here with a checkpoint.
  bool end() const { return stop || finish || spent; }
};

/// Makes all ranks act on the same orders at the same step: a request of one rank is an order for
/// all.
Orders agree(comm::Group& group, const Orders& requests);

}  // namespace ganscale::training
