#include "training/session/session.h"

#include <functional>
#include <optional>
#include <random>

#include "base/log.h"
#include "base/thread_rank.h"
#include "comm/collectives/numbers.h"
#include "command_line/run_program.h"
#include "device/gpu.h"
#include "files/append_line.h"
#include "metrics/evaluate.h"
#include "report/mlflow/mlflow_client.h"
#include "telemetry/exposer.h"
#include "telemetry/registry.h"
#include "training/run/section_checks.h"
#include "training/schemes/synchronous/train_run.h"
#include "training/session/check_config.h"
#include "training/session/process_context.h"
#include "training/session/rank_threads.h"

namespace ganscale::training {
namespace {

/// Returns an id of this run that is the same on all ranks and different from all other runs.
std::string shared_job_id(comm::Group& group) {
  std::random_device device;
  std::int64_t number = (static_cast<std::int64_t>(device()) << 31) ^ device();
  comm::broadcast_from_rank_0(group, {&number});
  return "ganscale-" + std::to_string(number);
}

/// What the ranks of this process share.
struct Session {
  const RunConfig& config;
  const RunFolder& folder;
  const Scheme& scheme;
  const Dataset& dataset;
  const device::NetworkDevices& devices;
  const StopSignal& stop;
  const Build& build;
  nlohmann::ordered_json start;
  int device_count;
  std::optional<wire::Preflight> preflight;
};

control::ServerConfig server_config(const Session& session) {
  const control::TelemetryConfig& config = session.config.telemetry;
  control::ServerConfig server{.address = config.bind_address,
                               .port = config.control_port,
                               .token_file = config.token_file,
                               .tls_certificate = config.tls_certificate,
                               .tls_key = config.tls_key};
  if (session.scheme.takes_commands()) return server;
  server.on_stop = [&stop = session.stop] { stop.request(); };
  server.commands_refused = "scheme " + session.config.scheme.name + " takes only the command stop";
  return server;
}

/// The metrics port of this node, on its first rank, and the control port of the run, on rank 0.
class Services {
 public:
  Services(const Session& session, comm::Group& group, const comm::RankInfo& rank_info)
      : registry_({.run = session.folder.name(),
                   .rank = group.rank(),
                   .local_rank = rank_info.local_rank,
                   .local_size = rank_info.local_size,
                   .segment = shared_job_id(group),
                   .build = session.build}) {
    const control::TelemetryConfig& config = session.config.telemetry;
    constexpr int kOff = control::TelemetryConfig::kOff;
    if (rank_info.local_rank == 0 && config.metrics_port != kOff) {
      exposer_ = std::make_unique<telemetry::Exposer>(
          telemetry::Endpoint{config.bind_address, config.metrics_port},
          [this] { return registry_.collect(); });
      log::info("Serving metrics", {{"port", exposer_->port()}});
    }
    if (group.rank() == 0 && config.control_port != kOff) {
      server_ = std::make_unique<control::Server>(server_config(session));
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

/// Throws ConfigError if the run could not be logged as configured, whatever the server says.
void require_mlflow(const report::MlflowConfig& config) {
  if (!config.is_wanted()) return;
  report::require_mlflow_client(config.location);
  report::mlflow_access(config, report::read_mlflow_environment());
}

void record_start(const RunFolder& folder, const nlohmann::ordered_json& start) {
  try {
    files::append_line(folder.provenance(), start.dump());
  } catch (const DataError& error) {
    log::warning("Cannot record what was started", {{"reason", error.what()}});
  }
}

/// Opens the feature network before training, if there are metrics.
std::optional<Evaluator> open_evaluator(const Session& session, comm::Group& group) {
  const metrics::EvaluateConfig& config = session.config.evaluate;
  if (config.metrics.empty()) return std::nullopt;
  log::info("Opening the feature network", {{"file", config.feature_net.file}});
  return std::optional<Evaluator>(std::in_place, config,
                                  RealImages{*session.dataset.source, session.dataset.policy},
                                  session.devices.generator, group, session.scheme.made_labels());
}

/// Does what a training would do before its first step, but leaves nothing behind.
ExitCode try_rank(const Session& session, comm::Group& group, const comm::RankInfo& rank_info) {
  open_evaluator(session, group);
  if (group.rank() == 0) session.folder.require_writable();
  Services services(session, group, rank_info);
  session.scheme.try_run({.config = session.config,
                          .folder = session.folder,
                          .dataset = session.dataset,
                          .devices = session.devices,
                          .group = group,
                          .stop = session.stop,
                          .instruments = services.instruments()});
  if (group.rank() == 0) log::info("The dry run found no problem");
  return ExitCode::kOk;
}

/// Returns what logs the error of this rank while it still has its groups: without them, ranks
/// that wait for it over NCCL lose a peer and end the run with another exit code. Where ranks are
/// threads, it may only follow from that of another thread, which the process ends with.
std::function<void()> failure_log() {
  if (thread_rank()) return {};
  return command_line::log_error;
}

/// Trains as one rank of the group.
ExitCode run_rank(const Session& session, comm::Group& group, const comm::RankInfo& rank_info) {
  auto evaluator = open_evaluator(session, group);
  std::optional<files::FolderLock> lock;
  if (group.rank() == 0) {
    session.folder.create();
    lock = session.folder.take_lock();
    log::set_file(session.folder.log());
    record_start(session.folder, session.start);
  }
  Services services(session, group, rank_info);
  const TrainingContext context{.config = session.config,
                                .folder = session.folder,
                                .dataset = session.dataset,
                                .devices = session.devices,
                                .group = group,
                                .stop = session.stop,
                                .instruments = services.instruments(),
                                .server = services.server(),
                                .evaluator = evaluator ? &*evaluator : nullptr,
                                .device_count = session.device_count,
                                .start = session.start,
                                .preflight = session.preflight,
                                .log_failure = failure_log()};
  return session.scheme.run(context);
}

/// Does so in this process: as a rank of the world or, if the process is alone, as all the ranks
/// that the scheme runs in one.
ExitCode run_process(const Session& session, const comm::World& world, bool dry_run) {
  const auto run = [&](comm::Group& group, const comm::RankInfo& rank_info) {
    return dry_run ? try_rank(session, group, rank_info) : run_rank(session, group, rank_info);
  };
  const int count = session.scheme.ranks_of_lone_process();
  if (world.group->size() > 1 || count == 1) return run(*world.group, world.rank_info);
  const RankThreads threads{.count = count,
                            .cpu_threads = session.config.training.threads,
                            .timeout = session.config.comm.timeout()};
  return run_on_threads(threads, session.devices.generator, [&](comm::Group& group) {
    return run(group,
               {.rank = group.rank(), .local_rank = group.rank(), .local_size = group.size()});
  });
}

}  // namespace

ExitCode run_session(RunConfig config, const RunFolder& folder, const Provenance& provenance,
                     const SessionOptions& options) {
  const Scheme& scheme = *config.scheme.chosen;
  const StopSignal stop;  // a signal during startup takes effect at the first step
  ProcessContext process = open_process_context(config);
  comm::Group& world = *process.world.group;
  require_same_config(world, config.resolved);
  const auto preflight = try_fabric(world, process.devices.generator, options.fabric);
  if (world.rank() == 0) {
    for (const auto& warning : config_warnings(config)) log::warning(warning);
    require_mlflow(config.mlflow);
  }
  scheme.check_ranks(config, world.size());
  metrics::require_networks(config.evaluate);
  check_weights(config.training);
  log::info("Opening the dataset", {{"path", config.data.path}});
  const Dataset dataset = open_dataset(config.data, config.model);
  require_same_dataset(world, config.data, dataset);
  if (world.rank() == 0)
    warn_of_unused_data(config.data, config.model, dataset, scheme.makes_labels());
  scheme.check_data(config, *dataset.source, world.size());
  check_metrics(config, /*has_labels=*/config.model.label_count > 0);
  const int devices_of_process = config.training.devices_per_process;
  const Session session{
      .config = config,
      .folder = folder,
      .scheme = scheme,
      .dataset = dataset,
      .devices = process.devices,
      .stop = stop,
      .build = provenance.build,
      .start = describe_start(provenance, device::device_name(process.devices.generator),
                              devices_of_process, world),
      .device_count = world.size() * devices_of_process,
      .preflight = preflight};
  const ExitCode code = run_process(session, process.world, options.dry_run);
  if (code == ExitCode::kStopped) world.barrier();  // the first rank that ends, ends all
  world.finish();
  return code;
}

}  // namespace ganscale::training
