#include "training/session.h"

#include <ATen/Parallel.h>
#include <ATen/ops/tensor.h>
#include <sched.h>
#include <unistd.h>

#include <random>

#include "base/log.h"
#include "checkpoint/reader.h"
#include "comm/open_world.h"
#include "comm/replicate.h"
#include "data/open_source.h"
#include "device/gpu.h"
#include "device/select_device.h"
#include "report/output_file.h"
#include "telemetry/exposer.h"
#include "telemetry/registry.h"
#include "training/cpu_threads.h"
#include "training/loop.h"
#include "training/precision.h"
#include "training/synchronous.h"
#include "training/transfer.h"

namespace ganscale::training {
namespace {

/// The pictures of a run and how they are decoded.
struct Pictures {
  std::unique_ptr<data::Source> source;
  data::DecodePolicy policy;
  RunFacts facts;
};

Pictures open_pictures(RunConfig& config) {
  Pictures pictures;
  pictures.source = data::open_source(config.data.path, config.model.resolution);
  pictures.policy = data::decode_policy(config.data, *pictures.source, config.model.resolution);
  config.model.channels = pictures.policy.channels;
  // An unconditional model does not look at the labels that the data may have.
  const auto label_count = data::used_label_count(config.data, *pictures.source);
  config.model.label_count = models::takes_labels(config.model) ? static_cast<int>(label_count) : 0;
  pictures.facts = {.model = config.model.name,
                    .record_count = pictures.source->record_count(),
                    .label_count = config.model.label_count,
                    .channels = config.model.channels};
  return pictures;
}

void set_cpu_threads(const TrainingConfig& config, int local_size) {
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const int machine_cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int allowed_cores = known ? CPU_COUNT(&allowed) : machine_cores;
  at::set_num_threads(cpu_threads(config.threads, allowed_cores, machine_cores, local_size));
}

void prepare_device(RunConfig& config, comm::World& world, at::Device device) {
  device::use_device(device);
  comm::add_device(world, config.comm, device);
  set_cpu_threads(config.training, world.place.local_size);
  device::allow_tf32(allows_tf32(config.training.precision));
  // GPUs compute in narrow types to be fast; CPUs would be slow.
  if (device.is_cpu()) config.model.stylegan2.narrow_type.reset();
}

/// Writes config.yaml; says which keys differ from those of the run so far.
void write_config(const RunFolder& folder, const std::string& resolved) {
  std::error_code ignored;
  if (std::filesystem::exists(folder.config(), ignored) &&
      report::read_file(folder.config()) != resolved) {
    log::warning("The configuration differs from that of the run so far",
                 {{"file", folder.config()}});
  }
  report::write_file_atomically(folder.config(), resolved);
}

/// A word that all ranks of this run on all nodes share, and no other run.
std::string shared_word(comm::Group& group) {
  std::random_device device;
  const at::Tensor word = at::tensor((static_cast<std::int64_t>(device()) << 31) ^ device());
  group.broadcast(word, 0);
  return "ganscale-" + std::to_string(word.item<std::int64_t>());
}

/// Takes rank 0's progress; the replica's tensors are broadcast by the scheme.
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

/// Goes on from the newest valid checkpoint; a new run begins with the weights of another one where
/// the configuration names it. Rank 0 reads for all.
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

/// The port of this node, on its first rank, and the port of the run, on rank 0.
class Services {
 public:
  Services(const control::TelemetryConfig& config, const RunFolder& folder,
           const comm::World& world)
      : registry_({.run = folder.root().filename().string(),
                   .rank = world.group->rank(),
                   .local_rank = world.place.local_rank,
                   .local_size = world.place.local_size,
                   .segment = shared_word(*world.group)}) {
    constexpr int kOff = control::TelemetryConfig::kOff;
    if (world.place.local_rank == 0 && config.metrics_port != kOff) {
      exposer_ = std::make_unique<telemetry::Exposer>(
          telemetry::Endpoint{config.bind_address, config.metrics_port},
          [this] { return registry_.collect(); });
      log::info("Serving metrics", {{"port", exposer_->port()}});
    }
    if (world.group->rank() == 0 && config.control_port != kOff) {
      server_ = std::make_unique<control::Server>(
          control::ServerConfig{config.bind_address, config.control_port, config.token_file});
      log::info("Serving status and commands", {{"port", server_->port()}});
    }
  }

  telemetry::Instruments& instruments() { return registry_.instruments(); }
  control::Server* server() { return server_.get(); }

 private:
  telemetry::Registry registry_;
  std::unique_ptr<telemetry::Exposer> exposer_;
  std::unique_ptr<control::Server> server_;
};

/// The groups in which networks and losses of several ranks meet, beside that of the gradients.
class NetworkGroups {
 public:
  NetworkGroups(const RunConfig& config, comm::Group& world)
      : statistics_(
            world.split(models::statistics_color(config.model, config.training.batch, world))) {
    if (config.training.running_means == RunningMeans::kAveraged) path_length_ = world.split(0);
  }
  ReplicaGroups borrowed() const { return {statistics_.get(), path_length_.get()}; }

 private:
  std::unique_ptr<comm::Group> statistics_;
  std::unique_ptr<comm::Group> path_length_;
};

data::Feed feed_of(const RunConfig& config, const comm::Group& group, const Progress& progress,
                   at::Device device) {
  return {.share = {.rank = group.rank(),
                    .world_size = group.size(),
                    .batch_per_rank = static_cast<int>(config.training.batch / group.size())},
          .first_position = progress.stream_position,
          .label_count = config.model.label_count,
          .mirror = config.data.mirror,
          .pin_memory = device.is_cuda(),
          .prefetch = config.data.prefetch};
}

void log_start(const RunConfig& config, const RunFacts& facts, const comm::World& world,
               at::Device device) {
  log::info("Training", {{"model", facts.model},
                         {"resolution", config.model.resolution},
                         {"records", facts.record_count},
                         {"labels", facts.label_count},
                         {"ranks", world.group->size()},
                         {"batch", config.training.batch},
                         {"device", device::device_name(device)},
                         {"threads", at::get_num_threads()}});
}

}  // namespace

ExitCode run_session(RunConfig config, const RunFolder& folder, bool dry_run) {
  comm::World world = comm::open_world(config.comm);
  comm::Group& group = *world.group;
  log::set_rank(group.rank());
  require_fits_world(config, group.size());
  const at::Device device =
      device::select_device(config.training.device, world.place.local_rank, world.place.local_size,
                            device::visible_gpu_count());
  prepare_device(config, world, device);
  const Pictures pictures = open_pictures(config);
  log_start(config, pictures.facts, world, device);
  const NetworkGroups network_groups(config, group);
  Replica replica(config, device, network_groups.borrowed());
  Progress progress = resume(replica, config.training, folder, pictures.facts, group);
  data::ShardPlan plan(pictures.facts.record_count, config.training.seed, config.data.shuffle);
  data::Prefetcher batches(*pictures.source, std::move(plan), pictures.policy,
                           feed_of(config, group, progress, device));
  if (dry_run) return ExitCode::kOk;

  const StopSignal stop;
  const SampleGrids grids(config.training, folder);
  std::optional<checkpoint::Writer> writer;
  if (group.rank() == 0) {
    folder.create();
    log::set_file(folder.log());
    write_config(folder, config.resolved);
    writer.emplace(folder.root(), config.checkpoint);
    writer->prepare(make_snapshot(replica, pictures.facts, progress));
    if (progress.images_seen == 0)
      grids.write_reals(*pictures.source, pictures.policy, config.model.label_count);
  }
  Services services(config.telemetry, folder, world);
  Synchronous scheme(config, replica, group);
  Reporter reporter({.config = config,
                     .folder = folder,
                     .device = device,
                     .control = group,
                     .gradients = group,
                     .batches = batches,
                     .augmentation = replica.augmentation(),
                     .instruments = services.instruments(),
                     .writer = writer ? &*writer : nullptr,
                     .server = services.server()});
  LoopParts parts{.config = config,
                  .facts = pictures.facts,
                  .device = device,
                  .control = group,
                  .batches = batches,
                  .replica = replica,
                  .scheme = scheme,
                  .reporter = reporter,
                  .grids = grids,
                  .stop = stop,
                  .writer = writer ? &*writer : nullptr,
                  .server = services.server()};
  return run_loop(parts, progress);
}

}  // namespace ganscale::training
