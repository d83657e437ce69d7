#include "planning/model/scheme_simulation.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "wire/scheme.h"

namespace ganscale::planning {
namespace {

constexpr int kMostRanksOfRatio = 8;
constexpr int kUsualStaleness = 1;
constexpr std::array kStalenesses = {0, 1, 2, 4};

/// What all schemes are simulated with.
struct Trial {
  const Setting& setting;
  const Scale& scale;
  int steps = 0;
  std::uint64_t seed = 0;
};

Team team_of(int ranks, const StepTime& step) {
  return {.ranks = ranks,
          .rank_seconds = step.device + step.host,
          .shared_seconds = step.all_reduce + step.data};
}

/// Returns the phase in which the generator's ranks make the fakes of a phase of the other role.
Phase fakes_of(const Phase& phase) {
  return {.name = "fakes",
          .interval = phase.interval,
          .device = phase.fakes,
          .launches = phase.fakes_launches};
}

/// Returns a phase as a rank of one role has it: without CUDA graphs, given the fakes.
Phase without_fakes(Phase phase) {
  phase.launches += phase.graph_launches - phase.fakes_launches;
  for (std::size_t i = 0; i < phase.fakes.size(); ++i) {
    phase.device[i].seconds -= phase.fakes[i].seconds;
  }
  return phase;
}

/// Returns what the ranks of one role do of a workload.
Workload part_of(const Workload& workload, wire::Role network) {
  const bool reads_images = network == wire::Role::kDiscriminator;
  Workload part{.image_bytes = reads_images ? workload.image_bytes : 0};
  for (const Phase& phase : workload.phases) {
    if (phase.network == network) {
      part.phases.push_back(without_fakes(phase));
    } else if (network == wire::Role::kGenerator && !phase.fakes.empty()) {
      part.phases.push_back(fakes_of(phase));
    }
  }
  return part;
}

/// Returns the bytes that a rank of either role sends or receives in a step: its fakes, and the
/// discriminator, of which there are as many as of gradients. All are float32.
double exchanged_bytes(const Workload& workload, double images) {
  double snapshot_bytes = 0;
  for (const Phase& phase : workload.phases) {
    if (phase.network == wire::Role::kDiscriminator) {
      snapshot_bytes = std::max(snapshot_bytes, phase.reduced_bytes);
    }
  }
  return sizeof(float) * workload.image_bytes * images + snapshot_bytes;
}

int gpus_of_node(const Machine& machine, const Scale& scale) {
  return std::min(scale.gpus, machine.gpus_per_node);
}

/// Returns the team of `share` ranks of each ratio.sum() ranks in a row. It has GPUs of all nodes
/// (wire::RolePlan).
Team role_team(const Trial& trial, const wire::RoleRatio& ratio, wire::Role network) {
  const Setting& setting = trial.setting;
  const bool generates = network == wire::Role::kGenerator;
  const int share = generates ? ratio.generator : ratio.discriminator;
  Scale scale = trial.scale;
  scale.gpus = scale.gpus / ratio.sum() * share;
  Machine machine = setting.machine;
  machine.gpus_per_node = gpus_of_node(machine, trial.scale) / ratio.sum() * share;
  Team team = team_of(scale.gpus, predict_step(part_of(setting.workload, network), machine,
                                               setting.assumptions, scale));
  team.shared_seconds += exchanged_bytes(setting.workload, scale.images_per_rank()) /
                         setting.assumptions.exchange_bytes_per_second;
  return team;
}

SchemeRun run_of(const Trial& trial, SchemeChoice choice, std::span<const Team> teams) {
  const Noise noise = noise_of(trial.setting.assumptions, trial.setting.conditions);
  const StepsTaken taken = simulate_steps(teams, noise, trial.steps, trial.seed);
  const double seconds = taken.seconds / trial.steps;
  return {std::move(choice), taken, seconds, static_cast<double>(trial.scale.batch) / seconds};
}

SchemeRun synchronous_run(const Trial& trial) {
  const Setting& setting = trial.setting;
  const StepTime together =
      predict_step(setting.workload, setting.machine, setting.assumptions, trial.scale);
  return run_of(trial, {.scheme = std::string(wire::kSynchronous.name)},
                std::array{team_of(trial.scale.gpus, together)});
}

SchemeRun asynchronous_run(const Trial& trial, const wire::RoleRatio& ratio, int max_staleness) {
  const Roles roles =
      with_staleness({.generator = role_team(trial, ratio, wire::Role::kGenerator),
                      .discriminator = role_team(trial, ratio, wire::Role::kDiscriminator)},
                     max_staleness);
  return run_of(trial, {std::string(wire::kAsynchronous.name), ratio, max_staleness},
                std::array{roles.generator, roles.discriminator});
}

/// Returns a run of each ratio; of the fastest, one for each staleness.
std::vector<SchemeRun> asynchronous_runs(const Trial& trial) {
  const Setting& setting = trial.setting;
  std::vector<SchemeRun> of_ratios;
  for (const auto& ratio : fitting_ratios(setting.workload, setting.machine, trial.scale)) {
    of_ratios.push_back(asynchronous_run(trial, ratio, kUsualStaleness));
  }
  const auto fastest = std::ranges::max_element(of_ratios, {}, &SchemeRun::images_per_second);
  std::vector<SchemeRun> runs;
  for (auto run = of_ratios.begin(); run != of_ratios.end(); ++run) {
    if (run != fastest) {
      runs.push_back(*run);
      continue;
    }
    for (const int staleness : kStalenesses) {
      runs.push_back(asynchronous_run(trial, *run->choice.ratio, staleness));
    }
  }
  return runs;
}

SchemeRun per_label_run(const Trial& trial) {
  const StepTime alone =
      predict_lone_step(trial.setting.workload, trial.setting.assumptions, trial.scale);
  const auto ranks = static_cast<std::size_t>(trial.scale.ranks());
  return run_of(trial, {.scheme = std::string(wire::kPerLabel.name)},
                std::vector<Team>(ranks, team_of(1, alone)));
}

}  // namespace

std::string to_text(const wire::RoleRatio& ratio) {
  return std::to_string(ratio.generator) + ":" + std::to_string(ratio.discriminator);
}

std::string to_text(const SchemeChoice& choice) {
  if (!choice.ratio) return choice.scheme;
  return choice.scheme + " " + to_text(*choice.ratio) + ", max_staleness " +
         std::to_string(choice.max_staleness);
}

std::vector<wire::RoleRatio> fitting_ratios(const Workload& workload, const Machine& machine,
                                            const Scale& scale) {
  const auto divides_batch = [&](int ranks) {
    return scale.batch % (ranks * workload.passes) == 0;
  };
  std::vector<wire::RoleRatio> ratios;
  for (int sum = 2; sum <= kMostRanksOfRatio; ++sum) {
    if (gpus_of_node(machine, scale) % sum != 0) continue;
    const int rows = scale.gpus / sum;
    for (int part = 1; part < sum; ++part) {
      const bool is_reduced = std::gcd(part, sum) == 1;
      if (is_reduced && divides_batch(rows * part) && divides_batch(rows * (sum - part))) {
        ratios.push_back({part, sum - part});
      }
    }
  }
  return ratios;
}

SchemeComparison compare_schemes(const Setting& setting, const Scale& scale, int steps,
                                 std::uint64_t seed) {
  const Trial trial{setting, scale, steps, seed};
  SchemeComparison comparison{.gpus = scale.gpus, .batch = scale.batch, .steps = steps};
  if (scale.gpus_of_rank == 1) {
    comparison.runs = asynchronous_runs(trial);
    comparison.runs.insert(comparison.runs.begin(), synchronous_run(trial));
  }
  comparison.runs.push_back(per_label_run(trial));
  return comparison;
}

}  // namespace ganscale::planning
