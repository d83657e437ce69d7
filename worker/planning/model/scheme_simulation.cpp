#include "planning/model/scheme_simulation.h"

#include <array>

#include "wire/scheme.h"

namespace ganscale::planning {
namespace {

constexpr std::array kStalenesses = {0, 1, 2, 4};

Team team_of(int ranks, const StepTime& step) {
  return {.ranks = ranks,
          .rank_seconds = step.device + step.host,
          .shared_seconds = step.all_reduce + step.data};
}

/// Returns what the ranks of one role do of a workload.
Workload part_of(const Workload& workload, wire::Role network) {
  const bool reads_images = network == wire::Role::kDiscriminator;
  Workload part{.image_bytes = reads_images ? workload.image_bytes : 0};
  for (const Phase& phase : workload.phases) {
    if (phase.network == network) part.phases.push_back(phase);
  }
  return part;
}

Roles roles_of(const Setting& setting, const Scale& scale) {
  const Scale half = {.gpus = scale.gpus / 2, .batch = scale.batch};
  const auto team = [&](wire::Role network) {
    return team_of(half.gpus, predict_step(part_of(setting.workload, network), setting.machine,
                                           setting.assumptions, half));
  };
  return {.generator = team(wire::Role::kGenerator),
          .discriminator = team(wire::Role::kDiscriminator)};
}

}  // namespace

std::vector<SchemeRun> simulate_schemes(const Setting& setting, const Scale& scale, int steps,
                                        std::uint64_t seed) {
  const Noise noise = noise_of(setting.assumptions, setting.conditions);
  std::vector<SchemeRun> runs;
  const auto add = [&](std::string scheme, std::span<const Team> teams) {
    const StepsTaken taken = simulate_steps(teams, noise, steps, seed);
    const double seconds = taken.seconds / steps;
    runs.push_back({std::move(scheme), taken, seconds, static_cast<double>(scale.batch) / seconds});
  };

  const StepTime together =
      predict_step(setting.workload, setting.machine, setting.assumptions, scale);
  add(std::string(wire::kSynchronous.name), std::array{team_of(scale.gpus, together)});
  if (scale.gpus % 2 == 0 && setting.machine.nodes_of(scale.gpus / 2) > 0) {
    const Roles roles = roles_of(setting, scale);
    for (const int staleness : kStalenesses) {
      const Roles stale = with_staleness(roles, staleness);
      add(std::string(wire::kAsynchronous.name) + ", max_staleness " + std::to_string(staleness),
          std::array{stale.generator, stale.discriminator});
    }
  }
  const StepTime alone = predict_lone_step(setting.workload, setting.assumptions, scale);
  add(std::string(wire::kPerLabel.name),
      std::vector<Team>(static_cast<std::size_t>(scale.gpus), team_of(1, alone)));
  return runs;
}

}  // namespace ganscale::planning
