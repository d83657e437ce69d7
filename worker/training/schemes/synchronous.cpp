#include "training/schemes/synchronous.h"

#include "comm/bucketed_gradients.h"
#include "comm/replicate.h"
#include "comm/stopwatch.h"
#include "training/phases/build_phases.h"

namespace ganscale::training {
namespace {

/// The host of a GPU need not wait for the other ranks' hosts in every step: none of them stops
/// before all do, and these steps later is soon enough.
constexpr std::int64_t kGpuStepsBetweenAgreements = 8;

/// Returns the parameters that are not frozen, in the order of registration.
std::vector<at::Tensor> parameters_with_gradients(const torch::nn::Module& network) {
  auto parameters = network.parameters();
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.requires_grad(); });
  return parameters;
}

}  // namespace

Synchronous::Synchronous(const RunConfig& config, Replica& replica, StepInputs& inputs,
                         comm::Group& group)
    : config_(config), replica_(replica), inputs_(inputs), group_(group) {
  const auto bucket_bytes = config.comm.bucket_bytes;
  for (const auto& [file, tensors] : replica.state()) {
    comm::broadcast_from_rank_0(group, tensors, bucket_bytes);
  }
  generator_gradients_ = std::make_unique<comm::BucketedGradients>(
      parameters_with_gradients(replica.generator()), group, bucket_bytes);
  discriminator_gradients_ = std::make_unique<comm::BucketedGradients>(
      parameters_with_gradients(replica.discriminator()), group, bucket_bytes);
  phases_ = build_phases(config, replica,
                         {generator_gradients_.get(), discriminator_gradients_.get()}, group);
  if (config.training.cuda_graphs) recorder_ = std::make_unique<GraphRecorder>(group);
}

Synchronous::~Synchronous() = default;

std::vector<std::string> Synchronous::phase_names() const {
  std::vector<std::string> names;
  for (const Phase& phase : phases_) names.push_back(phase.name);
  return names;
}

std::vector<std::string> Synchronous::statistic_names() const {
  std::vector<std::string> names;
  for (const Phase& phase : phases_) {
    names.insert(names.end(), phase.statistics.begin(), phase.statistics.end());
  }
  return names;
}

StepResult Synchronous::step(Progress& progress) {
  const StepInput input = inputs_.next(progress);
  if (recorder_) recorder_->set_input(input);
  StepResult result{.images = config_.training.batch / group_.size()};
  GeneratorAverage& average = replica_.average();
  const optim::Averages averages = average.averages(progress.images_seen);
  const Phase* last_of_generator = last_update_of_generator(progress.step);
  for (Phase& phase : phases_) {
    if (!phase.is_due(progress.step)) continue;
    const comm::Stopwatch watch;
    result.statistics.merge(recorder_ ? recorder_->compute_gradients(phase)
                                      : compute_gradients(phase, input));
    const bool moves_average = &phase == last_of_generator;
    skipped_.add(phase,
                 update_network(phase, progress.images_seen, moves_average ? &averages : nullptr));
    result.phase_seconds[phase.name] = watch.seconds();
  }
  if (config_.training.running_means == RunningMeans::kAveraged) average_moving_statistics();
  replica_.augmentation().adapt(group_, progress.step);
  average.end_step(averages, /*is_moved=*/last_of_generator != nullptr);
  result.skipped = skipped_.take();
  result.generator_steps = last_of_generator != nullptr ? 1 : 0;
  result.discriminator_steps = 1;
  progress.add_step(config_.training.batch);
  return result;
}

const Phase* Synchronous::last_update_of_generator(std::int64_t step) {
  const Phase* last = nullptr;
  for (const Phase& phase : phases_) {
    if (phase.network == &replica_.generator() && phase.is_due(step)) last = &phase;
  }
  return last;
}

void Synchronous::average_moving_statistics() {
  const auto bucket_bytes = config_.comm.bucket_bytes;
  comm::all_reduce_mean(group_, replica_.generator().moving_statistics(), bucket_bytes);
  comm::all_reduce_mean(group_, replica_.discriminator().moving_statistics(), bucket_bytes);
}

Readings Synchronous::readings() const {
  Readings readings{.all_reduce = group_.all_reduce_cost(),
                    .augment_p = replica_.augmentation().p()};
  if (const data::Prefetcher* loader = inputs_.loader()) readings.loader = loader->readings();
  return readings;
}

std::int64_t Synchronous::steps_between_agreements() const {
  return replica_.devices().generator.is_cuda() ? kGpuStepsBetweenAgreements : 1;
}

}  // namespace ganscale::training
