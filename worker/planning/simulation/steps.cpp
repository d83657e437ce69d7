#include "planning/simulation/steps.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "planning/simulation/event_queue.h"
#include "wire/role_plan.h"

namespace ganscale::planning {
namespace {

/// A team within its steps.
struct Progressing {
  Team team;
  int first_rank = 0;
  int done = 0;     ///< steps
  int pending = 0;  ///< ranks that have not finished the current step; 0: it has not begun
  double free_at = 0;
};

class StepSimulation {
 public:
  StepSimulation(std::span<const Team> teams, const Noise& noise, int steps, std::uint64_t seed)
      : steps_(steps), ranks_(count(teams), noise, seed) {
    int first_rank = 0;
    for (const Team& team : teams) {
      teams_.push_back({.team = team, .first_rank = first_rank});
      first_rank += team.ranks;
    }
  }

  StepsTaken run() {
    for (Progressing& each : teams_) begin_if_possible(each, 0);
    while (!events_.empty()) {
      const auto event = events_.take();
      Progressing& each = teams_[event.what];
      if (--each.pending > 0) continue;
      end_step(each, event.seconds);
    }
    return result();
  }

 private:
  static int count(std::span<const Team> teams) {
    return std::accumulate(teams.begin(), teams.end(), 0,
                           [](int sum, const Team& team) { return sum + team.ranks; });
  }

  bool may_begin(const Progressing& each) const {
    if (each.pending > 0 || each.done == steps_) return false;
    if (each.team.other < 0) return true;
    const bool meets = each.team.meets_every > 0 && each.done % each.team.meets_every == 0;
    const int lead = meets ? 0 : each.team.lead;
    return teams_[static_cast<std::size_t>(each.team.other)].done >= each.done - lead;
  }

  void begin_if_possible(Progressing& each, double now) {
    if (!may_begin(each)) return;
    each.pending = each.team.ranks;
    const auto index = static_cast<std::size_t>(&each - teams_.data());
    for (int i = 0; i < each.team.ranks; ++i) {
      const double seconds = ranks_.seconds(each.first_rank + i, each.team.rank_seconds);
      busy_seconds_ += seconds;
      // What they do as one begins when the last has computed, so it may as well end each part.
      events_.plan(now + seconds + each.team.shared_seconds, index);
    }
  }

  void end_step(Progressing& each, double now) {
    each.done += 1;
    each.free_at = now;
    begin_if_possible(each, now);
    if (each.team.other >= 0) {
      begin_if_possible(teams_[static_cast<std::size_t>(each.team.other)], now);
    }
  }

  StepsTaken result() const {
    StepsTaken taken;
    int ranks = 0;
    for (const Progressing& each : teams_) {
      check(each.done == steps_, "teams do not wait for each other forever");
      taken.seconds = std::max(taken.seconds, each.free_at);
      taken.mean_seconds += each.free_at / static_cast<double>(teams_.size());
      ranks += each.team.ranks;
    }
    taken.busy_share = busy_seconds_ / (ranks * taken.seconds);
    return taken;
  }

  const int steps_;
  NoisyRanks ranks_;
  std::vector<Progressing> teams_;
  EventQueue<std::size_t> events_;  ///< a rank of this team has finished its step
  double busy_seconds_ = 0;
};

}  // namespace

StepsTaken simulate_steps(std::span<const Team> teams, const Noise& noise, int steps,
                          std::uint64_t seed) {
  return StepSimulation(teams, noise, steps, seed).run();
}

Roles with_staleness(Roles roles, int max_staleness) {
  roles.generator.other = 1;
  roles.generator.lead = max_staleness;
  roles.generator.meets_every = wire::kStepsBetweenAgreements;
  roles.discriminator.other = 0;
  roles.discriminator.lead = -1;
  return roles;
}

}  // namespace ganscale::planning
