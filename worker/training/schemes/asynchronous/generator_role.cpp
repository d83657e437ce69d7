#include "training/schemes/asynchronous/generator_role.h"

#include <ATen/record_function.h>

#include "base/stopwatch.h"
#include "comm/collectives/numbers.h"
#include "profile/scopes.h"
#include "training/phases/due_phases.h"
#include "training/replica/path_lengths.h"

namespace ganscale::training {
namespace {

/// In its first steps a process has cuDNN search for the fastest algorithms. The roles may be on one
/// device, and what else computes there would distort the search: they take turns.
constexpr std::int64_t kStepsInTurn = 2;

}  // namespace

GeneratorRole::GeneratorRole(const RoleParts& parts, StepInputs& inputs, const Progress& progress)
    : RoleTrainer(parts, inputs, parts.replica.generator(), progress),
      first_step_(progress.step),
      version_(progress.step) {}

StepResult GeneratorRole::step(Progress& progress) {
  StepResult result;
  GeneratorAverage& average = parts_.replica.average();
  const optim::Averages averages = average.averages(progress.images_seen);
  const auto train = [&](StepInput& input) {
    return run_due_phases(phases_, parts_.replica, {progress, input, averages, skipped_}, result);
  };
  bool average_is_moved = false;
  if (parts_.config.loss.discriminator_first) {
    StepInput input = inputs_.next(progress);
    send_fakes(input, progress.step);
    result.role = take_snapshot(progress.step + 1);
    add_pairs(input);
    average_is_moved = train(input);
    average_returning_buffers();
  } else {
    result.role = take_snapshot(progress.step);
    StepInput input = inputs_.next(progress);
    average_is_moved = train(input);
    average_returning_buffers();
    send_fakes(input, progress.step);
  }
  average_over_ranks(parts_.replica.generator().moving_statistics());
  average.end_step(progress.images_seen, average_is_moved);
  progress.add_step(parts_.config.training.batch);
  step_ = progress.step;
  return result;
}

void GeneratorRole::receive_snapshots_to(std::int64_t version) {
  while (version_ < version) version_ = parts_.links.receive_snapshot(snapshot_state());
}

std::int64_t GeneratorRole::max_staleness_now() const {
  return step_ < first_step_ + kStepsInTurn ? 0 : parts_.max_staleness;
}

/// Takes the newest snapshot that is there, and waits while it is too old. The first of these ranks
/// decides which it is. latest: the version that `synchronous` would use.
RoleStep GeneratorRole::take_snapshot(std::int64_t latest) {
  RECORD_USER_SCOPE(profile::kRoleWait);
  const Stopwatch watch;
  comm::Group& ranks = parts_.links.ranks();
  if (ranks.rank() == 0) {
    receive_snapshots_to(latest - max_staleness_now());
    while (parts_.links.snapshot_is_there()) receive_snapshots_to(version_ + 1);
  }
  std::int64_t version = version_;
  comm::broadcast_from_rank_0(ranks, {&version});
  receive_snapshots_to(version);
  return {.network = wire::Role::kGenerator,
          .images = batch_of_rank(),
          .age = latest - version_,
          .wait_seconds = watch.seconds()};
}

void GeneratorRole::add_pairs(StepInput& input) const {
  if (pairs_.empty()) return;
  const auto labels = pairs_.find("labels");
  input.scored_reals =
      ScoredReals{.logits = rows_of_rank(pairs_.at("logits")),
                  .labels = labels == pairs_.end() ? at::Tensor() : rows_of_rank(labels->second)};
}

void GeneratorRole::average_returning_buffers() {
  if (returning_buffers().empty()) return;
  average_over_ranks(parts_.replica.discriminator().moving_statistics());
}

void GeneratorRole::send_fakes(const StepInput& input, std::int64_t step) {
  const Fakes fakes = input.fakes ? *input.fakes : losses_.make_fakes(input);
  parts_.links.send_fakes({.step = step, .fakes = fakes}, returning_buffers());
}

void GeneratorRole::reconcile(Progress& progress) {
  receive_snapshots_to(progress.step);
  RoleTrainer::reconcile(progress);
}

std::map<std::string, NamedTensors> GeneratorRole::gather_state() {
  auto state = RoleTrainer::gather_state();
  add_means_of_ranks(parts_.links.ranks(), parts_.replica.path_length_mean(), state);
  return state;
}

}  // namespace ganscale::training
