#include "training/schemes/asynchronous/discriminator_role.h"

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include "base/stopwatch.h"
#include "profile/scopes.h"
#include "training/phases/due_phases.h"

namespace ganscale::training {

DiscriminatorRole::DiscriminatorRole(const RoleParts& parts, StepInputs& inputs,
                                     const Progress& progress)
    : RoleTrainer(parts, inputs, parts.replica.discriminator(), progress),
      buffer_(progress.step, parts.max_staleness) {}

StepResult DiscriminatorRole::step(Progress& progress) {
  const Stopwatch watch;
  const FakeBatch batch = take_fakes();
  StepResult result{.images = batch_of_rank(),
                    .discriminator_steps = 1,
                    .role = RoleStep{.network = wire::Role::kDiscriminator,
                                     .images = batch_of_rank(),
                                     .age = buffer_.newer_batches(),
                                     .wait_seconds = watch.seconds()}};
  StepInput input = inputs_.next(progress);
  const at::Device device = parts_.replica.devices().discriminator;
  const at::Tensor& drawn = batch.fakes.labels;
  input.fakes = Fakes{.images = batch.fakes.images.to(device),
                      .labels = drawn.defined() ? drawn.to(device) : input.real.labels,
                      .next_site = batch.fakes.next_site};
  const optim::Averages averages = parts_.replica.average().averages(progress.images_seen);
  run_due_phases(phases_, parts_.replica, {progress, input, averages, skipped_}, result);
  score_pairs(input, progress.step);
  average_over_ranks(parts_.replica.discriminator().moving_statistics());
  adapt_and_publish(progress.step);
  progress.add_step(parts_.config.training.batch);
  step_ = progress.step;
  return result;
}

void DiscriminatorRole::score_pairs(const StepInput& input, std::int64_t step) {
  if (pairs_.empty()) return;
  if (parts_.max_staleness == 0) {
    if (is_generator_due(parts_.config, step)) gather_pairs(input);
    return;
  }
  // A later step of the generator may use any snapshot.
  const NamedTensors buffers = named_buffers(parts_.replica.discriminator());
  NamedTensors before;
  for (const auto& [name, buffer] : buffers) before[name] = buffer.clone();
  gather_pairs(input);
  copy_into(buffers, before, "the discriminator before it scored pairs");
}

void DiscriminatorRole::gather_pairs(const StepInput& input) {
  // A rank has every size-th image of the batch.
  const auto gather = [&](const std::string& name, const at::Tensor& own) {
    const at::NoGradGuard no_grad;
    pairs_.at(name).copy_(parts_.links.ranks().all_gather(own.contiguous()).t().flatten());
  };
  gather("logits", losses_.score_pairs(input));
  if (pairs_.contains("labels")) gather("labels", input.real.labels);
}

/// The augmentation adapts after the phases of both networks.
void DiscriminatorRole::adapt_and_publish(std::int64_t step) {
  const bool comes_first = parts_.config.loss.discriminator_first;
  if (comes_first) parts_.links.send_snapshot(step + 1, snapshot_state());
  parts_.replica.augmentation().adapt(parts_.links.ranks(), step);
  if (!comes_first) parts_.links.send_snapshot(step + 1, snapshot_state());
}

FakeBatch DiscriminatorRole::take_fakes() {
  RECORD_USER_SCOPE(profile::kRoleWait);
  while (buffer_.empty() || parts_.links.fakes_are_there())
    buffer_.add(parts_.links.receive_fakes(returning_buffers()));
  return buffer_.take();
}

}  // namespace ganscale::training
