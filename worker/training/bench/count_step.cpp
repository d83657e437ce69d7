#include "training/bench/count_step.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/error.h"
#include "comm/backends/counting_group.h"
#include "comm/collectives/replicate.h"
#include "cost/live_memory.h"
#include "cost/recorder.h"
#include "data/loader/prefetcher.h"
#include "training/phases/phase.h"
#include "training/phases/phase_losses.h"
#include "training/phases/statistics.h"
#include "training/run/precision.h"
#include "training/schemes/synchronous/synchronous.h"

namespace ganscale::training {
namespace {

/// Batches of a rank that are not read from a dataset.
class BlankInputs : public StepInputs {
 public:
  BlankInputs(const models::ModelConfig& model, const TrainingConfig& training, int ranks)
      : model_(model), training_(training), ranks_(ranks) {}

  StepInput next(const Progress& progress) override {
    const std::int64_t N = training_.batch / ranks_;
    data::Batch host{
        .images = at::empty({N, model_.channels, model_.resolution.height, model_.resolution.width},
                            at::kByte),
        .labels = {}};
    if (model_.label_count > 0) host.labels = at::zeros({N}, at::kLong);
    return {.real = data::to_model_input(host, at::kMeta, parameter_dtype(training_.precision)),
            .images = image_random(training_.seed_mode, training_.seed, /*rank=*/0, ranks_,
                                   progress.images_seen)};
  }

 private:
  const models::ModelConfig& model_;
  const TrainingConfig& training_;
  int ranks_;
};

/// The groups of rank 0: all, and those that share its statistics.
struct Groups {
  Groups(const models::Blueprint& blueprint, std::int64_t images_per_pass, int ranks)
      : world(ranks),
        statistics(ranks_like_the_first(blueprint, images_per_pass, ranks)),
        path_length(ranks) {}

  static int ranks_like_the_first(const models::Blueprint& blueprint, std::int64_t images_per_pass,
                                  int ranks) {
    const auto color_of = [&](int rank) {
      return blueprint.statistics_color(images_per_pass, comm::CountingGroup(ranks, rank));
    };
    int count = 0;
    for (int rank = 0; rank < ranks; ++rank) count += color_of(rank) == color_of(0) ? 1 : 0;
    return count;
  }

  ReplicaGroups borrowed(RunningMeans means) {
    const bool shares = means == RunningMeans::kAveraged;
    return {&statistics, shares ? &path_length : nullptr};
  }

  comm::CountingGroup world;
  comm::CountingGroup statistics;
  comm::CountingGroup path_length;
};

/// Counts the phases of one step one by one.
class Counter {
 public:
  Counter(const RunConfig& config, int ranks)
      : config_(config),
        recorder_([this](const cost::RecordedCall& call) { memory_.see(call); }),
        groups_(*config.model.blueprint, config.training.images_per_pass(), ranks),
        inputs_(config.model, config.training, ranks),
        replica_(config, at::kMeta, groups_.borrowed(config.training.running_means)),
        trainer_(config, replica_, inputs_, groups_.world),
        losses_({config, replica_.generator(), replica_.discriminator(), replica_.augmentation(),
                 replica_.path_length_mean(), replica_.devices(), groups_.world}),
        statistics_(agree_on_statistics()) {}

  std::vector<CountedPhase> run() {
    std::vector<CountedPhase> counted;
    leave_as_a_step_does();
    recorder_.take();
    StepInput input = inputs_.next({});
    counted.push_back(
        {.name = "input", .network = wire::Role::kDiscriminator, .update = recorder_.take()});
    for (Phase& phase : trainer_.phases()) counted.push_back(count(phase, input));
    end_step();
    counted.push_back({.name = "average", .update = recorder_.take()});
    return counted;
  }

 private:
  std::vector<std::string> agree_on_statistics() const {
    std::vector<std::string> names = trainer_.statistic_names();
    std::ranges::sort(names);
    return names;
  }

  /// Returns whether it is the main phase of its network, which comes before its lazy one.
  bool is_main(const Phase& phase) {
    return &phase == &*std::ranges::find(trainer_.phases(), phase.network, &Phase::network);
  }

  /// Prepares the weights that the last phase of a step before would not have changed.
  void leave_as_a_step_does() {
    if (trainer_.phases().back().network == &replica_.generator()) {
      replica_.discriminator().prepare_weights();
    } else {
      replica_.generator().prepare_weights();
    }
  }

  CountedPhase count(Phase& phase, StepInput& input) {
    const bool of_generator = phase.network == &replica_.generator();
    CountedPhase counted{
        .name = phase.name,
        .network = of_generator ? wire::Role::kGenerator : wire::Role::kDiscriminator,
        .interval = phase.interval,
        .offset = phase.offset};
    memory_.take_peak();
    const optim::Averages averages = replica_.average().averages(/*images_seen=*/0);
    const bool moves_average = of_generator && is_main(phase);
    const bool makes_fakes = !of_generator && is_main(phase) && !input.fakes;
    const PhaseOutput output = compute_gradients(phase, input);
    const NamedTensors& scalars = output.statistics;
    counted.gradients = recorder_.take();
    statistics_.add(scalars);  // begins their sums, to which later steps add
    recorder_.take();
    update_network(phase, /*images_seen=*/0, moves_average ? &averages : nullptr);
    statistics_.add(scalars);
    counted.update = recorder_.take();
    counted.peak_bytes = memory_.take_peak();
    if (makes_fakes) {
      losses_.make_fakes(input);
      counted.fakes = recorder_.take();
    }
    if (output.fakes) input.fakes = output.fakes;
    return counted;
  }

  void end_step() {
    if (config_.training.running_means == RunningMeans::kAveraged) {
      const auto bucket_bytes = config_.comm.bucket_bytes;
      comm::all_reduce_mean(groups_.world, replica_.generator().moving_statistics(), bucket_bytes);
      comm::all_reduce_mean(groups_.world, replica_.discriminator().moving_statistics(),
                            bucket_bytes);
    }
    replica_.average().end_step(/*images_seen=*/0, /*is_moved=*/true);
  }

  const RunConfig& config_;
  cost::LiveMemory memory_;
  cost::Recorder recorder_;
  Groups groups_;
  BlankInputs inputs_;
  Replica replica_;
  Synchronous trainer_;
  PhaseLosses losses_;
  Statistics statistics_;
};

}  // namespace

std::vector<CountedPhase> count_step(const RunConfig& config, int ranks) {
  require_divisible_batch(config.training, ranks);
  return Counter(config, ranks).run();
}

}  // namespace ganscale::training
