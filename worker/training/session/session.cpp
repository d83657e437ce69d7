#include "training/session/session.h"

#include <ATen/ops/tensor.h>

#include <optional>
#include <random>

#include "base/log.h"
#include "telemetry/exposer.h"
#include "telemetry/registry.h"
#include "training/run/section_checks.h"
#include "training/schemes/train_run.h"
#include "training/session/process_context.h"

namespace ganscale::training {
namespace {

/// Returns an id of this run that is the same on all ranks and different from all other runs.
std::string shared_job_id(comm::Group& group) {
  std::random_device device;
  const at::Tensor word = at::tensor((static_cast<std::int64_t>(device()) << 31) ^ device());
  group.broadcast(word, 0);
  return "ganscale-" + std::to_string(word.item<std::int64_t>());
}

/// The metrics port of this node, on its first rank, and the control port of the run, on rank 0.
class Services {
 public:
  Services(const control::TelemetryConfig& config, const RunFolder& folder,
           const comm::World& world)
      : registry_({.run = folder.root().filename().string(),
                   .rank = world.group->rank(),
                   .local_rank = world.rank_info.local_rank,
                   .local_size = world.rank_info.local_size,
                   .segment = shared_job_id(*world.group)}) {
    constexpr int kOff = control::TelemetryConfig::kOff;
    if (world.rank_info.local_rank == 0 && config.metrics_port != kOff) {
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

/// Opens the feature network before training, if there are metrics.
std::optional<Evaluator> open_evaluator(const RunConfig& config, const Dataset& dataset,
                                        const ProcessContext& process) {
  if (config.evaluate.metrics.empty()) return std::nullopt;
  return std::optional<Evaluator>(std::in_place, config.evaluate,
                                  RealImages{*dataset.source, dataset.policy},
                                  process.devices.generator, *process.world.group);
}

}  // namespace

ExitCode run_session(RunConfig config, const RunFolder& folder, SchemeTable schemes, bool dry_run) {
  const Scheme& scheme = find_scheme(schemes, config.scheme.name);
  const StopSignal stop;  // a signal during startup takes effect at the first step
  ProcessContext process = open_process_context(config);
  comm::Group& group = *process.world.group;
  if (group.rank() == 0) {
    for (const auto& warning : config_warnings(config)) log::warning(warning);
  }
  const Dataset dataset = open_dataset(config);
  scheme.check(config, *dataset.source, group.size());
  const bool has_labels = scheme.makes_labels || config.model.label_count > 0;
  for (const auto& metric : config.evaluate.metrics) metrics::require_labels(metric, has_labels);
  auto evaluator = open_evaluator(config, dataset, process);
  if (dry_run) {
    telemetry::Instruments unread;
    scheme.try_run({.config = config,
                    .folder = folder,
                    .dataset = dataset,
                    .devices = process.devices,
                    .group = group,
                    .stop = stop,
                    .instruments = unread});
    group.finish();
    return ExitCode::kOk;
  }
  if (group.rank() == 0) {
    folder.create();
    log::set_file(folder.log());
  }
  Services services(config.telemetry, folder, process.world);
  const int device_count = group.size() * config.training.devices_per_process;
  const TrainingContext context{.config = config,
                                .folder = folder,
                                .dataset = dataset,
                                .devices = process.devices,
                                .group = group,
                                .stop = stop,
                                .instruments = services.instruments(),
                                .server = services.server(),
                                .evaluator = evaluator ? &*evaluator : nullptr,
                                .budget_seconds = config.budget.seconds(device_count)};
  const ExitCode code = scheme.run(context);
  group.finish();
  return code;
}

}  // namespace ganscale::training
