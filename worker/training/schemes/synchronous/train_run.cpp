#include "training/schemes/synchronous/train_run.h"

#include <ATen/Parallel.h>

#include "base/log.h"
#include "device/gpu.h"
#include "training/loop/loop.h"
#include "training/replica/replica.h"
#include "training/replica/resume.h"
#include "training/run/precision.h"
#include "training/schemes/synchronous/synchronous.h"
#include "wire/scheme.h"

namespace ganscale::training {
namespace {

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

}  // namespace

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
  return {.keys = {.name = std::string(wire::kSynchronous.name),
                   .description = "all ranks train one pair of networks",
                   .parse = [](config::Section& /*in*/) { return std::any(); },
                   .check = require_one_device},
          .check_ranks = [](const RunConfig& config,
                            int world_size) { require_divisible_batch(config, world_size); },
          .check_data = [](const RunConfig& /*config*/, const data::Source& /*source*/,
                           int /*world_size*/) {},
          .ranks_of_networks = [](const RunConfig& /*config*/,
                                  int world_size) { return std::vector{world_size}; },
          .try_run = try_training,
          .run = [](const TrainingContext& context) { return train(context).code; }};
}

}  // namespace ganscale::training
