#include "training/schemes/generator_role.h"

#include <ATen/ops/tensor.h>
#include <ATen/record_function.h>

#include "comm/stopwatch.h"
#include "profile/scopes.h"
#include "training/schemes/due_phases.h"

namespace ganscale::training {

GeneratorRole::GeneratorRole(const RoleParts& parts, StepInputs& inputs, const Progress& progress)
    : RoleTrainer(parts, inputs, parts.replica.generator(), progress),
      losses_({parts.config, parts.replica.generator(), parts.replica.discriminator(),
               parts.replica.augmentation(), parts.replica.path_length_mean(),
               parts.replica.devices(), parts.links.ranks()}),
      version_(progress.step) {}

StepResult GeneratorRole::step(Progress& progress) {
  const comm::Stopwatch watch;
  take_snapshot(progress.step);
  StepResult result{.role = RoleStep{.network = "generator",
                                     .age = progress.step - version_,
                                     .wait_seconds = watch.seconds()}};
  const StepInput input = inputs_.next(progress);
  GeneratorAverage& average = parts_.replica.average();
  const optim::Averages averages = average.averages(progress.images_seen);
  const bool average_is_moved =
      run_due_phases(phases_, parts_.replica, {progress, input, averages, skipped_}, result);
  send_fakes(input, progress.step);
  average_over_ranks(parts_.replica.generator().moving_statistics());
  average.end_step(averages, average_is_moved);
  progress.add_step(parts_.config.training.batch);
  step_ = progress.step;
  return result;
}

void GeneratorRole::receive_snapshots_to(std::int64_t version) {
  while (version_ < version) version_ = parts_.links.receive_snapshot(snapshot_state());
}

/// Takes the newest snapshot that is there, and waits while it is too old. The first of these ranks
/// decides which it is.
void GeneratorRole::take_snapshot(std::int64_t step) {
  RECORD_USER_SCOPE(profile::kRoleWait);
  comm::Group& ranks = parts_.links.ranks();
  if (ranks.rank() == 0) {
    receive_snapshots_to(step - parts_.max_staleness);
    while (parts_.links.snapshot_is_there()) receive_snapshots_to(version_ + 1);
  }
  const at::Tensor version = at::tensor({version_});
  ranks.broadcast(version, 0);
  receive_snapshots_to(version.item<std::int64_t>());
}

void GeneratorRole::send_fakes(const StepInput& input, std::int64_t step) {
  const NamedTensors buffers = returning_buffers();
  if (!buffers.empty()) average_over_ranks(parts_.replica.discriminator().moving_statistics());
  parts_.links.send_fakes({.step = step, .fakes = losses_.make_fakes(input)}, buffers);
}

void GeneratorRole::reconcile(Progress& progress) { receive_snapshots_to(progress.step); }

}  // namespace ganscale::training
