#include "training/schemes/synchronous/train_run.h"

#include <ATen/Parallel.h>

#include "base/log.h"
#include "device/gpu.h"
#include "training/loop/loop.h"
#include "training/replica/replica.h"
#include "training/replica/resume.h"
#include "training/run/precision.h"
#include "training/run/section_checks.h"
#include "training/schemes/synchronous/synchronous.h"
#include "wire/scheme.h"

namespace ganscale::training {
namespace {

/// The networks and the data stream, at the point where the training resumes.
struct Prepared {
  explicit Prepared(const TrainingContext& context)
      : network_groups(context.config, context.group),
        replica(context.config, context.devices, network_groups.borrowed()),
        progress(resume(replica, context.resume_from(), context.group)),
        inputs(context.config, context.dataset, context.devices.discriminator, context.group,
               progress) {}

  NetworkGroups network_groups;
  Replica replica;
  Progress progress;
  LoadedInputs inputs;
};

class SynchronousScheme : public Scheme {
 public:
  std::vector<int> ranks_of_networks(int world_size) const override { return {world_size}; }
  void check_sections(const config::Section& root, const RunConfig& config) const override {
    require_one_device(root, config.training, config.scheme.name);
  }
  void check_ranks(const RunConfig& config, int world_size) const override {
    require_divisible_batch(config.training, world_size);
  }
  void try_run(const TrainingContext& context) const override { try_training(context); }
  ExitCode run(const TrainingContext& context) const override { return train(context).code; }
};

}  // namespace

void log_start(std::string_view title, const TrainingContext& context) {
  log::info(title, {{"model", context.dataset.facts.model},
                    {"resolution", short_text_of(context.config.model.resolution)},
                    {"records", context.dataset.facts.record_count},
                    {"labels", context.dataset.facts.label_count},
                    {"ranks", context.group.size()},
                    {"batch", context.config.training.batch},
                    {"device", device::device_name(context.devices.generator)},
                    {"devices", context.devices.generator == context.devices.discriminator ? 1 : 2},
                    {"precision",
                     describe_precision(context.config.training.precision, context.config.model)},
                    {"threads", at::get_num_threads()}});
}

void try_training(const TrainingContext& context) {
  log_start("Dry run", context);
  Prepared prepared(context);
  {
    const Synchronous trainer(context.config, prepared.replica, prepared.inputs, context.group);
    prepared.inputs.next(prepared.progress);
  }
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

SchemeLine synchronous_scheme() {
  return {.name = std::string(wire::kSynchronous.name),
          .description = "all ranks train one pair of networks",
          .read = [](config::Section& /*in*/) -> std::shared_ptr<const Scheme> {
            return std::make_shared<SynchronousScheme>();
          }};
}

}  // namespace ganscale::training
