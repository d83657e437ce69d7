#include "training/schemes/train_run.h"

#include <ATen/Parallel.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <optional>

#include "base/log.h"
#include "checkpoint/reader.h"
#include "device/gpu.h"
#include "files/atomic_file.h"
#include "training/loop/loop.h"
#include "training/phases/transfer.h"
#include "training/schemes/synchronous.h"

namespace ganscale::training {
namespace {

/// Broadcasts rank 0's progress; the scheme broadcasts the replica's tensors.
void broadcast_progress(comm::Group& group, Progress& progress) {
  const at::Tensor counts =
      at::tensor({progress.images_seen, progress.step, progress.stream_position, progress.tick,
                  progress.nonfinite_steps});
  const at::Tensor seconds = at::tensor(progress.trained_seconds, at::kDouble);
  group.broadcast(counts, 0);
  group.broadcast(seconds, 0);
  const auto* count = counts.const_data_ptr<std::int64_t>();
  progress = {.images_seen = count[0],
              .step = count[1],
              .stream_position = count[2],
              .tick = count[3],
              .trained_seconds = seconds.item<double>(),
              .nonfinite_steps = count[4]};
}

/// Resumes from the newest valid checkpoint, or initializes a new run from the weights of another
/// one if configured. Rank 0 reads for all ranks.
Progress resume(Replica& replica, const TrainingConfig& config, const RunFolder& folder,
                const RunFacts& facts, comm::Group& group) {
  Progress progress;
  if (group.rank() == 0) {
    if (const auto checkpoint = checkpoint::newest_valid_checkpoint(folder.root())) {
      progress = restore(replica, facts, checkpoint::load_checkpoint(*checkpoint));
      log::info("Resuming",
                {{"checkpoint", *checkpoint}, {"kimg", progress.kimg()}, {"step", progress.step}});
    } else if (!config.resume_weights.empty()) {
      transfer_weights(replica, config.resume_weights);
    }
  }
  broadcast_progress(group, progress);
  return progress;
}

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

void log_start(const RunConfig& config, const RunFacts& facts, const comm::Group& group,
               const device::NetworkDevices& devices) {
  log::info("Training", {{"model", facts.model},
                         {"resolution", config.model.resolution},
                         {"records", facts.record_count},
                         {"labels", facts.label_count},
                         {"ranks", group.size()},
                         {"batch", config.training.batch},
                         {"device", device::device_name(devices.generator)},
                         {"devices", devices.generator == devices.discriminator ? 1 : 2},
                         {"threads", at::get_num_threads()}});
}

/// Groups for communication in networks and losses, separate from that of the gradients.
class NetworkGroups {
 public:
  NetworkGroups(const RunConfig& config, comm::Group& group)
      : statistics_(
            group.split(models::statistics_color(config.model, config.training.batch, group))) {
    if (config.training.running_means == RunningMeans::kAveraged) path_length_ = group.split(0);
  }
  ReplicaGroups borrowed() const { return {statistics_.get(), path_length_.get()}; }

 private:
  std::unique_ptr<comm::Group> statistics_;
  std::unique_ptr<comm::Group> path_length_;
};

/// The networks and the data stream, at the point where the training resumes.
struct Prepared {
  Prepared(const RunConfig& config, const RunFolder& folder, const Dataset& dataset,
           const device::NetworkDevices& devices, comm::Group& group)
      : network_groups(config, group),
        replica(config, devices, network_groups.borrowed()),
        progress(resume(replica, config.training, folder, dataset.facts, group)),
        batches(
            *dataset.source,
            data::ShardPlan(dataset.facts.record_count, config.training.seed, config.data.shuffle),
            dataset.policy, loader_options(config, group, progress, devices.discriminator)) {}

  NetworkGroups network_groups;
  Replica replica;
  Progress progress;
  data::Prefetcher batches;
};

/// Creates the run folder and the checkpoint writer, on rank 0 only.
void open_folder(const TrainingParts& parts, Prepared& prepared, const SampleGrids& grids,
                 std::optional<checkpoint::Writer>& writer) {
  if (parts.group.rank() != 0) return;
  parts.folder.create();
  log::set_file(parts.folder.log());
  parts.folder.write_config(parts.config.resolved, parts.config.checkpoint.on_error);
  writer.emplace(parts.folder.root(), parts.config.checkpoint);
  writer->prepare(make_snapshot(prepared.replica, parts.dataset.facts, prepared.progress));
  if (prepared.progress.images_seen > 0) return;
  try {
    grids.write_reals(*parts.dataset.source, parts.dataset.policy, parts.config.model.label_count);
  } catch (const files::OutputError& error) {
    log::warning("Cannot write the grid of reals", {{"reason", error.what()}});
  }
}

}  // namespace

void try_training(const RunConfig& config, const RunFolder& folder, const Dataset& dataset,
                  const device::NetworkDevices& devices, comm::Group& group) {
  log_start(config, dataset.facts, group, devices);
  const Prepared prepared(config, folder, dataset, devices, group);
}

TrainingResult train(const TrainingParts& parts) {
  const RunConfig& config = parts.config;
  comm::Group& group = parts.group;
  log_start(config, parts.dataset.facts, group, parts.devices);
  Prepared prepared(config, parts.folder, parts.dataset, parts.devices, group);
  const SampleGrids grids(config.training, parts.folder);
  std::optional<checkpoint::Writer> writer;
  open_folder(parts, prepared, grids, writer);
  Synchronous scheme(config, prepared.replica, group);
  Reporter reporter({.config = config,
                     .folder = parts.folder,
                     .device = parts.devices.generator,
                     .control = group,
                     .gradients = group,
                     .batches = prepared.batches,
                     .augmentation = prepared.replica.augmentation(),
                     .instruments = parts.instruments,
                     .writer = writer ? &*writer : nullptr,
                     .server = parts.server});
  const double spent_seconds = std::max(prepared.progress.trained_seconds, parts.spent_seconds);
  LoopParts loop{.config = config,
                 .facts = parts.dataset.facts,
                 .device = parts.devices.discriminator,
                 .control = group,
                 .batches = prepared.batches,
                 .replica = prepared.replica,
                 .scheme = scheme,
                 .reporter = reporter,
                 .grids = grids,
                 .stop = parts.stop,
                 .budget = Budget(parts.budget_seconds, spent_seconds),
                 .evaluator = parts.evaluator,
                 .writer = writer ? &*writer : nullptr,
                 .server = parts.server};
  TrainingResult result;
  result.code = run_loop(loop, prepared.progress);
  result.progress = prepared.progress;
  return result;
}

}  // namespace ganscale::training
