#include "timing/fixed_training.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/rand.h>

#include "comm/backends/thread_group.h"

namespace ganscale::benchmarks {
namespace {

std::int64_t parameter_count(const torch::nn::Module& network) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count;
}

}  // namespace

FixedInputs::FixedInputs(const training::RunConfig& config, at::Device device) {
  const models::ModelConfig& model = config.model;
  const std::int64_t N = config.training.batch;
  real_.images = at::rand({N, model.channels, model.resolution.height, model.resolution.width})
                     .mul(2)
                     .sub(1)
                     .to(device);
  if (model.label_count > 0) {
    real_.labels = at::arange(N, at::kLong).remainder(model.label_count).to(device);
  }
}

training::StepInput FixedInputs::next(const training::Progress& progress) {
  return {real_, image_random(SeedMode::kImage, 1, 0, 1, progress.images_seen)};
}

FixedTraining::FixedTraining(training::RunConfig config, at::Device device)
    : config_(std::move(config)),
      group_(comm::make_single_group()),
      replica_(config_, device, {}),
      inputs_(config_, device),
      trainer_(config_, replica_, inputs_, *group_) {}

void FixedTraining::step(int number) {
  progress_.step = number;
  trainer_.step(progress_);
}

ParameterCounts FixedTraining::parameter_counts() {
  return {{"generator", parameter_count(replica_.generator())},
          {"discriminator", parameter_count(replica_.discriminator())}};
}

}  // namespace ganscale::benchmarks
