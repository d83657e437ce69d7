#include "training/phases/step_inputs.h"

#include <ATen/ops/empty.h>

#include "data/sources/cached_source.h"
#include "data/sources/read_image.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

data::RankShare share_of(std::int64_t batch, int rank, int ranks) {
  return {.rank = rank, .world_size = ranks, .batch_per_rank = static_cast<int>(batch / ranks)};
}

data::RankShare share_of(std::int64_t batch, const comm::Group& group) {
  return share_of(batch, group.rank(), group.size());
}

data::ShardPlan plan_of(const data::DataConfig& data, std::uint64_t seed, const Dataset& dataset) {
  return {dataset.facts.record_count, seed, data.shuffle, data.shard};
}

ImageRandom random_of(const TrainingConfig& training, const comm::Group& group,
                      const Progress& progress) {
  return image_random(training.seed_mode, training.seed, group.rank(), group.size(),
                      progress.images_seen);
}

data::LoaderOptions loader_options(const RunConfig& config, const comm::Group& group,
                                   const Progress& progress, at::Device device) {
  return {.share = share_of(config.training.batch, group),
          .first_position = progress.stream_position,
          .label_count = config.model.label_count,
          .mirror = config.data.mirror,
          .device = device,
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
    : training_(config.training),
      device_(device),
      group_(group),
      cache_(make_cache(config.data.cache, *dataset.source)),
      batches_(cache_ ? *cache_ : *dataset.source,
               plan_of(config.data, config.training.seed, dataset), dataset.policy,
               loader_options(config, group, progress, device)) {}

StepInput LoadedInputs::next(const Progress& progress) {
  return {
      .real = data::to_model_input(batches_.next(), device_, parameter_dtype(training_.precision)),
      .images = random_of(training_, group_, progress)};
}

LabelInputs::LabelInputs(const RunConfig& config, const Dataset& dataset, at::Device device,
                         const comm::Group& group, int loaders)
    : config_(config),
      source_(*dataset.source),
      device_(device),
      group_(group),
      loaders_(loaders),
      plan_(plan_of(config.data, config.training.seed, dataset)) {}

StepInput LabelInputs::next(const Progress& progress) {
  StepInput input{.real = {}, .images = random_of(config_.training, group_, progress)};
  if (config_.model.label_count > 0) input.real.labels = labels_at(progress.stream_position);
  return input;
}

at::Tensor LabelInputs::labels_at(std::int64_t stream_position) const {
  const std::int64_t batch = config_.training.batch;
  const data::RankShare share = share_of(batch, group_);
  const at::Tensor labels = at::empty({share.batch_per_rank}, at::kLong);
  for (std::int64_t image = 0; image < share.batch_per_rank; ++image) {
    const std::int64_t position = share.position(stream_position, image);
    const auto loader = static_cast<int>((position - stream_position) % loaders_);
    const auto record = plan_.record_at(position, share_of(batch, loader, loaders_));
    const std::int64_t label = source_.label(record);
    data::require_label(label, config_.model.label_count, source_, record);
    labels.mutable_data_ptr<std::int64_t>()[image] = label;
  }
  return labels.to(device_);
}

Readings loader_readings(const StepInputs& inputs) {
  const data::Prefetcher* loader = inputs.loader();
  if (loader == nullptr) return {};
  return {.loader = loader->readings()};
}

}  // namespace ganscale::training
