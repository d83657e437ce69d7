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

struct SchemeTeams {
  std::string scheme;
  std::vector<Team> teams;
};

/// Returns the schemes whose ranks train a network together.
std::vector<SchemeTeams> joint_schemes(const Setting& setting, const Scale& scale) {
  const StepTime together =
      predict_step(setting.workload, setting.machine, setting.assumptions, scale);
  std::vector<SchemeTeams> schemes = {
      {std::string(wire::kSynchronous.name), {team_of(scale.gpus, together)}}};
  if (scale.gpus % 2 != 0 || setting.machine.nodes_of(scale.gpus / 2) == 0) return schemes;
  const Roles roles = roles_of(setting, scale);
  for (const int staleness : kStalenesses) {
    const Roles stale = with_staleness(roles, staleness);
    schemes.push_back(
        {std::string(wire::kAsynchronous.name) + ", max_staleness " + std::to_string(staleness),
         {stale.generator, stale.discriminator}});
  }
  return schemes;
}

SchemeTeams per_label_scheme(const Setting& setting, const Scale& scale) {
  const StepTime alone = predict_lone_step(setting.workload, setting.assumptions, scale);
  const auto ranks = static_cast<std::size_t>(scale.ranks());
  return {std::string(wire::kPerLabel.name), std::vector<Team>(ranks, team_of(1, alone))};
}

}  // namespace

std::vector<SchemeRun> simulate_schemes(const Setting& setting, const Scale& scale, int steps,
                                        std::uint64_t seed) {
  const Noise noise = noise_of(setting.assumptions, setting.conditions);
  std::vector<SchemeTeams> schemes;
  if (scale.gpus_of_rank == 1) schemes = joint_schemes(setting, scale);
  schemes.push_back(per_label_scheme(setting, scale));
  std::vector<SchemeRun> runs;
  for (const SchemeTeams& scheme : schemes) {
    const StepsTaken taken = simulate_steps(scheme.teams, noise, steps, seed);
    const double seconds = taken.seconds / steps;
    runs.push_back({scheme.scheme, taken, seconds, static_cast<double>(scale.batch) / seconds});
  }
  return runs;
}

}  // namespace ganscale::planning
