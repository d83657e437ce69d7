#include "training/schemes/train_run.h"

#include <ATen/Parallel.h>

#include "base/log.h"
#include "device/gpu.h"
#include "training/loop/loop.h"
#include "training/phases/resume.h"
#include "training/run/precision.h"
#include "training/schemes/synchronous.h"

namespace ganscale::training {
namespace {

/// title: what begins.
void log_start(std::string_view title, const TrainingContext& context) {
  log::info(title, {{"model", context.dataset.facts.model},
                    {"resolution", context.config.model.resolution},
                    {"records", context.dataset.facts.record_count},
                    {"labels", context.dataset.facts.label_count},
                    {"ranks", context.group.size()},
                    {"batch", context.config.training.batch},
                    {"device", device::device_name(context.devices.generator)},
                    {"devices", context.devices.generator == context.devices.discriminator ? 1 : 2},
                    {"precision", describe_precision(context.config)},
                    {"threads", at::get_num_threads()}});
}

/// Groups for communication in networks and losses, separate from that of the gradients.
class NetworkGroups {
 public:
  NetworkGroups(const RunConfig& config, comm::Group& group)
      : statistics_(group.split(
            config.model.blueprint->statistics_color(config.training.images_per_pass(), group))) {
    if (config.training.running_means == RunningMeans::kAveraged) path_length_ = group.split(0);
  }
  ReplicaGroups borrowed() const { return {statistics_.get(), path_length_.get()}; }

  void finish() {
    statistics_->finish();
    if (path_length_) path_length_->finish();
  }

 private:
  std::unique_ptr<comm::Group> statistics_;
  std::unique_ptr<comm::Group> path_length_;
};

/// The networks and the data stream, at the point where the training resumes.
struct Prepared {
  explicit Prepared(const TrainingContext& context)
      : network_groups(context.config, context.group),
        replica(context.config, context.devices, network_groups.borrowed()),
        progress(resume(replica,
                        {.folder = context.folder,
                         .facts = context.dataset.facts,
                         .weights = context.config.training.resume_weights},
                        context.group)),
        inputs(context.config, context.dataset, context.devices.discriminator, context.group,
               progress) {}

  NetworkGroups network_groups;
  Replica replica;
  Progress progress;
  LoadedInputs inputs;
};

void require_one_device(const config::Section& root, const RunConfig& config) {
  // The ranks exchange gradients through one device each.
  root.require(config.training.devices_per_process == 1, "training.devices_per_process",
               "2 is for scheme per_label; take 1: " + config.scheme.name);
}

}  // namespace

void try_training(const TrainingContext& context) {
  log_start("Dry run", context);
  Prepared prepared(context);
  prepared.network_groups.finish();
}

TrainingResult train(const TrainingContext& context) {
  log_start("Training", context);
  Prepared prepared(context);
  TrainingResult result;
  {
    Synchronous trainer(context.config, prepared.replica, prepared.inputs, context.group);
    result.code = run_loop(context, trainer, prepared.progress);
    result.progress = prepared.progress;
  }
  prepared.network_groups.finish();  // which would wait for the trainer's CUDA graphs
  return result;
}

Scheme synchronous_scheme() {
  return {.keys = {.name = "synchronous",
                   .description = "all ranks train one pair of networks",
                   .parse = [](config::Section& /*in*/) { return std::any(); },
                   .check = require_one_device},
          .check = [](const RunConfig& config, const data::Source& /*source*/,
                      int world_size) { require_divisible_batch(config, world_size); },
          .run = [](const TrainingContext& context) { return train(context).code; }};
}

}  // namespace ganscale::training
