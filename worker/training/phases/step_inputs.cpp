#include "training/phases/step_inputs.h"

#include "data/sources/cached_source.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

data::LoaderOptions loader_options(const RunConfig& config, const comm::Group& group,
                                   const Progress& progress, at::Device device) {
  return {.share = {.rank = group.rank(),
                    .world_size = group.size(),
                    .batch_per_rank = static_cast<int>(config.training.batch / group.size())},
          .first_position = progress.stream_position,
          .label_count = config.model.label_count,
          .mirror = config.data.mirror,
          .pin_memory = device.is_cuda(),
          .prefetch = config.data.prefetch};
}

std::unique_ptr<data::Source> make_cache(const data::CacheConfig& config,
                                         const data::Source& source) {
  if (config.folder.empty()) return nullptr;
  return std::make_unique<data::CachedSource>(source, config.folder, config.limit_bytes);
}

}  // namespace

LoadedInputs::LoadedInputs(const RunConfig& config, const Dataset& dataset, at::Device device,
                           const comm::Group& group, const Progress& progress)
    : config_(config),
      device_(device),
      group_(group),
      cache_(make_cache(config.data.cache, *dataset.source)),
      batches_(cache_ ? *cache_ : *dataset.source,
               data::ShardPlan(dataset.facts.record_count, config.training.seed,
                               config.data.shuffle, config.data.shard),
               dataset.policy, loader_options(config, group, progress, device)) {}

StepInput LoadedInputs::next(const Progress& progress) {
  const TrainingConfig& training = config_.training;
  return {
      .real = data::to_model_input(batches_.next(), device_, parameter_dtype(training.precision)),
      .images = image_random(training.seed_mode, training.seed, group_.rank(), group_.size(),
                             progress.images_seen)};
}

}  // namespace ganscale::training
