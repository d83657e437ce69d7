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
  int opened = 0;   ///< steps of which it has done the opening, if they have one
  int done = 0;     ///< steps
  int pending = 0;  ///< ranks that have not finished the current load; 0: it has not begun
  double free_at = 0;

  bool has_openings() const { return !team.openings.empty(); }
  /// Returns whether its next load is an opening.
  bool opens() const { return has_openings() && opened == done; }
  /// Returns the steps that the other team may use.
  int passed_on() const { return has_openings() ? opened : done; }

  const Load& load() const {
    const std::vector<Load>& cycle = opens() ? team.openings : team.steps;
    return cycle[static_cast<std::size_t>(done) % cycle.size()];
  }

  /// Returns the steps of the other team that its next load needs.
  int needed() const {
    const bool meets = team.meets_every > 0 && done % team.meets_every == 0;
    if (meets && opens() == has_openings()) return done;
    return opens() ? 0 : done - team.lead;
  }
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
      end_load(each, event.seconds);
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
    return teams_[static_cast<std::size_t>(each.team.other)].passed_on() >= each.needed();
  }

  void begin_if_possible(Progressing& each, double now) {
    if (!may_begin(each)) return;
    each.pending = each.team.ranks;
    const Load& load = each.load();
    const auto index = static_cast<std::size_t>(&each - teams_.data());
    for (int i = 0; i < each.team.ranks; ++i) {
      const double seconds = ranks_.seconds(each.first_rank + i, load.rank_seconds);
      busy_seconds_ += seconds;
      // What they do as one begins when the last has computed, so it may as well end each part.
      events_.plan(now + seconds + load.shared_seconds, index);
    }
  }

  void end_load(Progressing& each, double now) {
    (each.opens() ? each.opened : each.done) += 1;
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
  EventQueue<std::size_t> events_;  ///< a rank of this team has finished its load
  double busy_seconds_ = 0;
};

}  // namespace

StepsTaken simulate_steps(std::span<const Team> teams, const Noise& noise, int steps,
                          std::uint64_t seed) {
  return StepSimulation(teams, noise, steps, seed).run();
}

Roles with_staleness(Roles roles, int max_staleness) {
  roles.generator.other = 1;
  const bool trains_second = !roles.generator.openings.empty();
  roles.generator.lead = trains_second ? max_staleness - 1 : max_staleness;
  roles.generator.meets_every = wire::kStepsBetweenAgreements;
  roles.discriminator.other = 0;
  roles.discriminator.lead = -1;
  return roles;
}

}  // namespace ganscale::planning
