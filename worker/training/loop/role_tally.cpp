#include "training/loop/role_tally.h"

#include <ATen/ops/zeros.h>

#include "base/error.h"

namespace ganscale::training {
namespace {

/// The columns of a role's numbers in its row; the ages follow.
enum Place : std::int64_t { kRanks, kSteps, kImages, kWaitSeconds, kFirstAge };

report::RoleTick to_tick(const double* row, double seconds) {
  report::RoleTick tick;
  tick.ranks = static_cast<int>(row[kRanks]);
  // The ranks of a role make their steps together.
  tick.steps = static_cast<std::int64_t>(row[kSteps] / row[kRanks]);
  tick.images = static_cast<std::int64_t>(row[kImages]);
  tick.wait_share = row[kWaitSeconds] / (row[kRanks] * seconds);
  if (tick.steps > 0) tick.seconds_per_step = seconds / static_cast<double>(tick.steps);
  for (std::int64_t age = 0; age <= kMostStaleness; ++age) {
    const auto steps = static_cast<std::int64_t>(row[kFirstAge + age]);
    if (steps > 0) tick.steps_of_age[age] = steps;
  }
  return tick;
}

}  // namespace

void RoleTally::add(const StepResult& result) {
  if (!result.role) return;
  const RoleStep& role = *result.role;
  check(role.age >= 0 && role.age <= kMostStaleness,
        "an age is from 0 to 64 steps: " + std::to_string(role.age));
  network_ = role.network;
  steps_ += 1;
  images_ += role.images;
  wait_seconds_ += role.wait_seconds;
  ++steps_of_age_[static_cast<std::size_t>(role.age)];
}

std::map<std::string, report::RoleTick> RoleTally::take(comm::Group& group, double seconds) {
  const std::int64_t width = kFirstAge + kMostStaleness + 1;
  const at::Tensor sums =
      at::zeros({static_cast<std::int64_t>(wire::kRoleNames.size()), width}, at::kDouble);
  auto* numbers = sums.mutable_data_ptr<double>();
  for (std::size_t i = 0; i < wire::kRoleNames.size(); ++i) {
    if (network_ != wire::kRoleNames.at(i).first) continue;
    double* row = numbers + static_cast<std::int64_t>(i) * width;
    row[kRanks] = 1;
    row[kSteps] = static_cast<double>(steps_);
    row[kImages] = static_cast<double>(images_);
    row[kWaitSeconds] = wait_seconds_;
    for (std::size_t age = 0; age < steps_of_age_.size(); ++age)
      row[kFirstAge + static_cast<std::int64_t>(age)] = static_cast<double>(steps_of_age_[age]);
  }
  group.all_reduce_sum(sums);
  *this = RoleTally();
  std::map<std::string, report::RoleTick> roles;
  for (std::size_t i = 0; i < wire::kRoleNames.size(); ++i) {
    const double* row = numbers + static_cast<std::int64_t>(i) * width;
    if (row[kRanks] > 0) roles[std::string(wire::kRoleNames.at(i).second)] = to_tick(row, seconds);
  }
  return roles;
}

}  // namespace ganscale::training
