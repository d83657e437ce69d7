#include "training/schemes/synchronous.h"

#include <chrono>

#include "comm/bucketed_gradients.h"
#include "comm/replicate.h"
#include "training/phases/build_phases.h"

namespace ganscale::training {
namespace {

/// Returns the parameters that are not frozen, in the order of registration.
std::vector<at::Tensor> parameters_with_gradients(const torch::nn::Module& network) {
  auto parameters = network.parameters();
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.requires_grad(); });
  return parameters;
}

}  // namespace

Synchronous::Synchronous(const RunConfig& config, Replica& replica, comm::Group& group)
    : config_(config), replica_(replica), group_(group) {
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

StepResult Synchronous::step(const StepInput& input, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  StepResult result;
  const optim::Averages averages = replica_.averages(
      optim::ema_beta(config_.generator.ema, config_.training.batch, progress.images_seen));
  const Phase* last_of_generator = last_due(progress.step, replica_.generator());
  bool average_is_moved = false;
  if (recorder_) recorder_->set_input(input);
  for (Phase& phase : phases_) {
    if (progress.step % phase.interval != 0) continue;
    const bool moves_average = &phase == last_of_generator;
    const auto start = Clock::now();
    result.statistics.merge(recorder_ ? recorder_->compute_gradients(phase)
                                      : compute_gradients(phase, input));
    const std::string nonfinite =
        update_network(phase, progress.images_seen, moves_average ? &averages : nullptr);
    average_is_moved |= moves_average && nonfinite.empty();
    if (!nonfinite.empty()) result.skipped.push_back({phase.name, nonfinite});
    result.phase_seconds[phase.name] = std::chrono::duration<double>(Clock::now() - start).count();
  }
  if (config_.training.running_means == RunningMeans::kAveraged) {
    comm::all_reduce_mean(group_, replica_.generator().moving_statistics(),
                          config_.comm.bucket_bytes);
    comm::all_reduce_mean(group_, replica_.discriminator().moving_statistics(),
                          config_.comm.bucket_bytes);
  }
  replica_.augmentation().adapt(group_, progress.step);
  if (average_is_moved) {
    replica_.copy_buffers_to_average();
  } else {
    replica_.update_average(averages.beta);
  }
  return result;
}

const Phase* Synchronous::last_due(std::int64_t step, const torch::nn::Module& network) const {
  const Phase* last = nullptr;
  for (const Phase& phase : phases_) {
    if (phase.network == &network && step % phase.interval == 0) last = &phase;
  }
  return last;
}

}  // namespace ganscale::training
