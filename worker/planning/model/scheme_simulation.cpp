#include "planning/model/scheme_simulation.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "wire/scheme.h"

namespace ganscale::planning {
namespace {

constexpr int kMostRanksOfRatio = 8;
constexpr std::array kStalenesses = {0, 1, 2, 4};

/// What all schemes are simulated with.
struct Trial {
  const Setting& setting;
  const Scale& scale;
  int steps = 0;
  std::uint64_t seed = 0;
};

/// Returns a mean step, which the ranks of a team that waits for no other may as well repeat.
Team team_of(int ranks, const StepTime& step) {
  return {.ranks = ranks,
          .steps = {Load{.rank_seconds = step.device + step.host,
                         .shared_seconds = step.all_reduce + step.data}}};
}

/// Returns the phase in which the generator's ranks make the fakes of a phase of the other role.
Phase fakes_of(const Phase& phase) {
  return {.name = "fakes",
          .interval = phase.interval,
          .offset = phase.offset,
          .device = phase.fakes,
          .launches = phase.fakes_launches,
          .reduced_bytes = phase.fakes_reduced_bytes,
          .reductions = phase.fakes_reductions};
}

/// Returns a phase as a rank of one role has it: without CUDA graphs, given the fakes.
Phase without_fakes(Phase phase) {
  phase.launches += phase.graph_launches - phase.fakes_launches;
  phase.reduced_bytes -= phase.fakes_reduced_bytes;
  phase.reductions -= phase.fakes_reductions;
  for (std::size_t i = 0; i < phase.fakes.size(); ++i) {
    phase.device[i].seconds -= phase.fakes[i].seconds;
  }
  return phase;
}

/// Returns what the generator's ranks do for the other role.
Workload fakes_in(const Workload& workload) {
  Workload part{.passes = workload.passes};
  for (const Phase& phase : workload.phases) {
    if (!phase.fakes.empty()) part.phases.push_back(fakes_of(phase));
  }
  return part;
}

/// Returns what the ranks of a role do for their own network.
Workload part_of(const Workload& workload, wire::Role network) {
  const bool reads_images = network == wire::Role::kDiscriminator;
  Workload part{.image_bytes = reads_images ? workload.image_bytes : 0, .passes = workload.passes};
  for (const Phase& phase : workload.phases) {
    if (phase.network == network) part.phases.push_back(without_fakes(phase));
  }
  return part;
}

/// Returns the phases of one step, whose images have been read ahead.
Workload due_in(const Workload& part, int step) {
  Workload due{.passes = part.passes};
  for (const Phase& phase : part.phases) {
    if (!phase.is_due(step)) continue;
    due.phases.push_back(phase);
    due.phases.back().interval = 1;
    due.phases.back().offset = 0;
  }
  return due;
}

/// Returns after how many steps, `most` at most, the same phases are due again.
int cycle_of(const Workload& part, int most) {
  std::int64_t cycle = 1;
  for (const Phase& phase : part.phases) {
    cycle = std::lcm(cycle, static_cast<std::int64_t>(phase.interval));
    if (cycle >= most) return most;
  }
  return static_cast<int>(cycle);
}

int gpus_of_node(const Machine& machine, const Scale& scale) {
  return std::min(scale.gpus, machine.gpus_per_node);
}

/// The GPUs of a role.
struct RoleGpus {
  Scale scale;
  Machine machine;
};

/// Both roles have GPUs of all nodes and share their ports.
RoleGpus gpus_of_role(const Trial& trial, const wire::RoleRatio& ratio, wire::Role network) {
  RoleGpus gpus{.scale = trial.scale, .machine = trial.setting.machine};
  gpus.scale.gpus = wire::RolePlan(ratio, trial.scale.gpus).size(network);
  gpus.machine.gpus_per_node =
      wire::RolePlan(ratio, gpus_of_node(trial.setting.machine, trial.scale)).size(network);
  gpus.machine.between.bytes_per_second *= static_cast<double>(gpus.scale.gpus) / trial.scale.gpus;
  return gpus;
}

/// Returns the load of each step of a cycle. exchange_seconds: of a step, with the other role.
std::vector<Load> loads_of(const Workload& part, const RoleGpus& gpus, const Trial& trial,
                           double exchange_seconds) {
  const auto predicted = [&](const Workload& workload) {
    return predict_step(workload, gpus.machine, trial.setting.assumptions, gpus.scale);
  };
  // Images are read ahead: the steps of a cycle wait for them as long as its mean step.
  const double data_seconds = predicted(part).data;
  std::vector<Load> loads;
  for (int step = 0; step < cycle_of(part, trial.steps); ++step) {
    const StepTime time = predicted(due_in(part, step));
    loads.push_back({.rank_seconds = time.device + time.host,
                     .shared_seconds = time.all_reduce + data_seconds + exchange_seconds});
  }
  return loads;
}

/// What a rank of either role sends or receives in a step.
struct Exchange {
  double fakes_seconds = 0;
  double snapshot_seconds = 0;

  double total() const { return fakes_seconds + snapshot_seconds; }
};

/// The snapshot is the discriminator, of which there are as many bytes as of gradients. All numbers
/// are float32.
Exchange exchange_of(const Setting& setting, const RoleGpus& gpus) {
  double snapshot_bytes = 0;
  for (const Phase& phase : setting.workload.phases) {
    if (phase.network != wire::Role::kDiscriminator) continue;
    snapshot_bytes = std::max(snapshot_bytes, phase.reduced_bytes - phase.fakes_reduced_bytes);
  }
  const double fakes_bytes =
      sizeof(float) * setting.workload.image_bytes * gpus.scale.images_per_rank();
  const double bytes_per_second = setting.assumptions.exchange_bytes_per_second;
  return {fakes_bytes / bytes_per_second, snapshot_bytes / bytes_per_second};
}

Team generator_team(const Trial& trial, const wire::RoleRatio& ratio) {
  const Workload& workload = trial.setting.workload;
  const RoleGpus gpus = gpus_of_role(trial, ratio, wire::Role::kGenerator);
  const Exchange exchange = exchange_of(trial.setting, gpus);
  const Workload fakes = fakes_in(workload);
  Workload training = part_of(workload, wire::Role::kGenerator);
  Team team{.ranks = gpus.scale.gpus};
  if (workload.discriminator_first) {
    team.openings = loads_of(fakes, gpus, trial, exchange.fakes_seconds);
    team.steps = loads_of(training, gpus, trial, exchange.snapshot_seconds);
  } else {
    training.phases.insert(training.phases.end(), fakes.phases.begin(), fakes.phases.end());
    team.steps = loads_of(training, gpus, trial, exchange.total());
  }
  return team;
}

Team discriminator_team(const Trial& trial, const wire::RoleRatio& ratio) {
  const RoleGpus gpus = gpus_of_role(trial, ratio, wire::Role::kDiscriminator);
  const Workload part = part_of(trial.setting.workload, wire::Role::kDiscriminator);
  return {.ranks = gpus.scale.gpus,
          .steps = loads_of(part, gpus, trial, exchange_of(trial.setting, gpus).total())};
}

/// Returns the exchange of the role whose ranks have more images.
double exchange_seconds(const Trial& trial, const wire::RoleRatio& ratio) {
  const auto seconds = [&](wire::Role network) {
    return exchange_of(trial.setting, gpus_of_role(trial, ratio, network)).total();
  };
  return std::max(seconds(wire::Role::kGenerator), seconds(wire::Role::kDiscriminator));
}

SchemeRun run_of(const Trial& trial, SchemeChoice choice, std::span<const Team> teams) {
  const Noise noise = noise_of(trial.setting.assumptions, trial.setting.conditions);
  const StepsTaken taken = simulate_steps(teams, noise, trial.steps, trial.seed);
  const double seconds = taken.seconds / trial.steps;
  return {.choice = std::move(choice),
          .taken = taken,
          .step_seconds = seconds,
          .images_per_second = static_cast<double>(trial.scale.batch) / seconds};
}

SchemeRun synchronous_run(const Trial& trial) {
  const Setting& setting = trial.setting;
  const StepTime together =
      predict_step(setting.workload, setting.machine, setting.assumptions, trial.scale);
  return run_of(trial, {.scheme = std::string(wire::kSynchronous.name)},
                std::array{team_of(trial.scale.gpus, together)});
}

/// Returns a run of each staleness, ascending.
std::vector<SchemeRun> runs_of(const Trial& trial, const wire::RoleRatio& ratio) {
  const Roles roles{.generator = generator_team(trial, ratio),
                    .discriminator = discriminator_team(trial, ratio)};
  std::vector<SchemeRun> runs;
  for (const int staleness : kStalenesses) {
    const Roles stale = with_staleness(roles, staleness);
    runs.push_back(run_of(trial, {std::string(wire::kAsynchronous.name), ratio, staleness},
                          std::array{stale.generator, stale.discriminator}));
    runs.back().exchange_seconds = exchange_seconds(trial, ratio);
  }
  return runs;
}

/// Returns the run with the least staleness that is almost the fastest.
const SchemeRun& best_of(const std::vector<SchemeRun>& runs) {
  const double fastest =
      std::ranges::max_element(runs, {}, &SchemeRun::images_per_second)->images_per_second;
  return *std::ranges::find_if(runs, [&](const SchemeRun& run) {
    return run.images_per_second * (1 + kLeastGain) >= fastest;
  });
}

/// Returns the best run of each ratio; of the fastest ratio, all.
std::vector<SchemeRun> asynchronous_runs(const Trial& trial) {
  const Setting& setting = trial.setting;
  std::vector<std::vector<SchemeRun>> of_ratios;
  for (const auto& ratio : fitting_ratios(setting.workload, setting.machine, trial.scale)) {
    of_ratios.push_back(runs_of(trial, ratio));
  }
  const auto speed_of = [](const std::vector<SchemeRun>& runs) {
    return best_of(runs).images_per_second;
  };
  const auto fastest = std::ranges::max_element(of_ratios, {}, speed_of);
  std::vector<SchemeRun> runs;
  for (auto of_ratio = of_ratios.begin(); of_ratio != of_ratios.end(); ++of_ratio) {
    if (of_ratio == fastest) {
      runs.insert(runs.end(), of_ratio->begin(), of_ratio->end());
    } else {
      runs.push_back(best_of(*of_ratio));
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

std::string to_text(const SchemeChoice& choice) {
  if (!choice.ratio) return choice.scheme;
  return choice.scheme + " " + wire::to_text(*choice.ratio) + ", max_staleness " +
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
  SchemeComparison comparison{
      .gpus = scale.gpus,
      .batch = scale.batch,
      .steps = steps,
      .cuda_graphs = std::ranges::any_of(
          setting.workload.phases, [](const Phase& phase) { return phase.graph_launches > 0; })};
  if (scale.gpus_of_rank == 1) {
    comparison.runs = asynchronous_runs(trial);
    comparison.runs.insert(comparison.runs.begin(), synchronous_run(trial));
  }
  comparison.runs.push_back(per_label_run(trial));
  return comparison;
}

}  // namespace ganscale::planning
