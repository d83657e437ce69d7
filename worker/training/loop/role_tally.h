#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/group/group.h"
#include "report/log/tick.h"
#include "training/loop/trainer.h"
#include "wire/role_plan.h"

namespace ganscale::training {

/// The highest bound of the ages that a scheme may set.
inline constexpr std::int64_t kMostStaleness = 64;

/// Sums up what the ranks of each role have done since the last tick.
class RoleTally {
 public:
  /// Does nothing for a rank without a role.
  void add(const StepResult& result);

  /// Returns the sums by network, of all ranks, and starts over; nothing if no rank has a role.
  /// Every rank calls it. seconds: the time since the last call.
  std::map<std::string, report::RoleTick> take(comm::Group& group, double seconds);

 private:
  std::optional<wire::Role> network_;
  std::int64_t steps_ = 0;
  std::int64_t images_ = 0;
  double wait_seconds_ = 0;
  std::vector<std::int64_t> steps_of_age_ = std::vector<std::int64_t>(kMostStaleness + 1);
};

}  // namespace ganscale::training
