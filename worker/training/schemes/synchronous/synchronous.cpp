#include "training/schemes/synchronous/synchronous.h"

#include "comm/collectives/bucketed_gradients.h"
#include "comm/collectives/replicate.h"
#include "training/phases/build_phases.h"
#include "training/phases/due_phases.h"
#include "training/phases/step_inputs.h"

namespace ganscale::training {
namespace {

/// The host of a GPU need not wait for the other ranks' hosts in every step: none of them stops
/// before all do, and these steps later is soon enough.
constexpr std::int64_t kGpuStepsBetweenAgreements = 8;

}  // namespace

Synchronous::Synchronous(const RunConfig& config, Replica& replica, StepInputs& inputs,
                         comm::Group& group)
    : config_(config), replica_(replica), inputs_(inputs), group_(group) {
  const auto bucket_bytes = config.comm.bucket_bytes;
  for (const auto& [file, tensors] : replica.state()) {
    comm::broadcast_from_rank_0(group, tensors, bucket_bytes);
  }
  take_restored(group, replica.path_length_mean());
  generator_gradients_ = std::make_unique<comm::BucketedGradients>(
      parameters_with_gradients(replica.generator()), group, bucket_bytes);
  discriminator_gradients_ = std::make_unique<comm::BucketedGradients>(
      parameters_with_gradients(replica.discriminator()), group, bucket_bytes);
  phases_ = build_phases(config, replica,
                         {generator_gradients_.get(), discriminator_gradients_.get()}, group);
  if (config.training.cuda_graphs) recorder_ = std::make_unique<GraphRecorder>(replica, group);
}

Synchronous::~Synchronous() = default;

std::vector<std::string> Synchronous::phase_names() const { return names_of(phases_); }

std::vector<std::string> Synchronous::statistic_names() const { return statistics_of(phases_); }

StepResult Synchronous::step(Progress& progress) {
  StepInput input = inputs_.next(progress);
  if (recorder_) recorder_->set_input(input);
  StepResult result{.images = config_.training.batch / group_.size()};
  GeneratorAverage& average = replica_.average();
  const optim::Averages averages = average.averages(progress.images_seen);
  const bool trains_generator = run_due_phases(
      phases_, replica_, {progress, input, averages, skipped_, recorder_.get()}, result);
  if (config_.training.running_means == RunningMeans::kAveraged) average_moving_statistics();
  replica_.augmentation().adapt(group_, progress.step);
  average.end_step(progress.images_seen, /*is_moved=*/trains_generator);
  result.discriminator_steps = 1;
  progress.add_step(config_.training.batch);
  return result;
}

void Synchronous::average_moving_statistics() {
  const auto bucket_bytes = config_.comm.bucket_bytes;
  comm::all_reduce_mean(group_, replica_.generator().moving_statistics(), bucket_bytes);
  comm::all_reduce_mean(group_, replica_.discriminator().moving_statistics(), bucket_bytes);
}

std::map<std::string, NamedTensors> Synchronous::gather_state() {
  auto state = replica_.state();
  add_means_of_ranks(group_, replica_.path_length_mean(), state);
  return state;
}

models::Generator& Synchronous::averaged_generator() {
  share_statistics(replica_.generator_ema());
  return replica_.generator_ema();
}

std::vector<OtherAverage> Synchronous::other_averages() {
  for (const OtherAverage& other : replica_.average().others()) share_statistics(*other.generator);
  return replica_.average().others();
}

void Synchronous::share_statistics(models::Generator& average) {
  if (config_.training.running_means == RunningMeans::kAveraged) return;
  comm::broadcast_from_rank_0(group_, average.moving_statistics(), config_.comm.bucket_bytes);
}

Readings Synchronous::readings() const {
  Readings readings = loader_readings(inputs_);
  readings.all_reduce = group_.all_reduce_cost();
  readings.augment_p = replica_.augmentation().p();
  return readings;
}

std::int64_t Synchronous::steps_between_agreements() const {
  return replica_.devices().generator.is_cuda() ? kGpuStepsBetweenAgreements : 1;
}

}  // namespace ganscale::training
