#include "training/loop/reporter.h"

#include <unistd.h>

#include <limits>
#include <utility>

#include "base/enum_names.h"
#include "base/log.h"
#include "base/thread_rank.h"
#include "checkpoint/checkpoint_name.h"
#include "comm/collectives/numbers.h"
#include "device/gpu.h"
#include "files/atomic_file.h"
#include "report/log/tick_line.h"
#include "report/page/html_report.h"
#include "telemetry/process_usage.h"
#include "tensors/with_prefix.h"
#include "training/loop/agreement.h"
#include "training/loop/evaluate_averages.h"
#include "training/loop/report_evaluation.h"
#include "training/loop/tick_readings.h"
#include "training/run/job_status.h"

namespace ganscale::training {
namespace {

std::int64_t allocated_bytes(const device::NetworkDevices& devices) {
  const std::int64_t bytes = device::device_memory(devices.generator).allocated_bytes;
  if (devices.discriminator == devices.generator) return bytes;
  return bytes + device::device_memory(devices.discriminator).allocated_bytes;
}

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double seconds_since_1970(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

/// Exports what the loader measured; counters by their growth since `counted`.
void export_loader(telemetry::Instruments& instruments, const data::LoaderReadings& now,
                   const data::LoaderReadings& counted) {
  const auto grown = [&](auto member) {
    return static_cast<double>(now.*member - counted.*member);
  };
  const auto grown_in_source = [&](auto member) {
    return static_cast<double>(now.source.*member - counted.source.*member);
  };
  instruments.data_wait_seconds_total.add(grown(&data::LoaderReadings::wait_seconds));
  instruments.prefetch_depth.set(now.depth);
  instruments.prefetch_bytes.set(static_cast<double>(now.batches_bytes));
  instruments.reader_threads.set(now.reader_threads);
  instruments.read_median_seconds.set(now.read_median_seconds);
  instruments.read_tail_seconds.set(now.read_tail_seconds);
  instruments.read_calm_tail_seconds.set(now.calm_tail_seconds);
  instruments.storage_congested.set(now.congested ? 1 : 0);
  instruments.congestions_total.add(grown(&data::LoaderReadings::congestions));
  instruments.repeated_reads_total.add(grown_in_source(&data::SourceCounts::repeated_reads));
  instruments.cached_reads_total.add(grown_in_source(&data::SourceCounts::cached_reads));
  instruments.cached_bytes.set(static_cast<double>(now.source.cached_bytes));
}

/// Returns what is known of a start as tags; those that MLflow has names for, with these.
nlohmann::ordered_json tags_of(const nlohmann::ordered_json& start) {
  nlohmann::ordered_json tags{{"mlflow.source.name", "ganscale"}};
  for (const auto& [name, value] : start.items())
    tags[name == "commit" ? "mlflow.source.git.commit" : "ganscale." + name] = value;
  return tags;
}

}  // namespace

Reporter::Reporter(const TrainingContext& context, const Trainer& trainer,
                   const checkpoint::Writer* writer)
    : context_(context),
      trainer_(trainer),
      writer_(writer),
      statistics_(agree_on_names(context.group, trainer.statistic_names())),
      status_(
          first_status(context.config, context.folder, context.group.size(), context.preflight)),
      window_(context.config.measure),
      profile_(context.config.profile) {}

void Reporter::begin(const Progress& progress) {
  status_.images_seen = progress.images_seen;
  if (context_.group.rank() == 0) {
    stats_.emplace(context_.folder.stats(), progress.images_seen);
    report::StatsLog(context_.folder.metrics(), progress.images_seen);  // drops the later lines
    if (context_.config.training.tensorboard) open_tensorboard(progress.images_seen);
    if (context_.config.mlflow.is_wanted()) open_mlflow(progress.images_seen);
    bar_.emplace("images", status_.total_images, progress.images_seen);
  }
  for (const std::string& phase : trainer_.phase_names()) {
    context_.instruments.phase_seconds_total.at(phase);
    context_.instruments.nonfinite_total.at(phase);
  }
  context_.instruments.world_size.set(context_.group.size());
  context_.instruments.images_seen.set(static_cast<double>(progress.images_seen));
  context_.instruments.images_goal.set(static_cast<double>(status_.total_images));
  telemetry::Gauge& last_success = context_.instruments.checkpoint_last_success_timestamp_seconds;
  if (writer_ != nullptr && !last_success.is_set()) {
    // A failure before the first checkpoint would lose everything since now, and the alert of a
    // missing checkpoint needs a time. A label after the first one has that of the labels before.
    last_success.set(seconds_since_1970(std::chrono::system_clock::now()));
  }
  tick_start_ = step_ended_ = Clock::now();
  tick_images_ = progress.images_seen;
  window_.begin(tick_start_, trainer_.readings());
  state(wire::JobState::kRunning);
  profile_.begin();
}

void Reporter::open_tensorboard(std::int64_t images_seen) {
  try {
    tensorboard_.emplace(context_.folder.events(), images_seen);
  } catch (const files::OutputError& error) {
    log::warning("Cannot write the TensorBoard events", {{"reason", error.what()}});
  }
}

void Reporter::open_mlflow(std::int64_t images_seen) {
  const report::MlflowConfig& config = context_.config.mlflow;
  const std::filesystem::path root = std::filesystem::absolute(context_.folder.root());
  nlohmann::ordered_json facts = tags_of(context_.start);
  facts["ganscale.run_folder"] = root.string();
  mlflow_.emplace(report::mlflow_access(config, report::read_mlflow_environment()),
                  report::MlflowSource{.state = context_.folder.mlflow(),
                                       .stats = context_.folder.stats(),
                                       .metrics = context_.folder.metrics(),
                                       .samples = context_.folder.samples(),
                                       .report = context_.folder.report(),
                                       .run_name = config.run_name.empty() ? context_.folder.name()
                                                                           : config.run_name,
                                       .config = context_.config.resolved,
                                       .facts = std::move(facts),
                                       .images_seen_begin = images_seen});
}

void Reporter::step(const StepResult& result, const Progress& progress) {
  statistics_.add(result.statistics);
  roles_.add(result);
  generator_steps_ += result.generator_steps;
  discriminator_steps_ += result.discriminator_steps;
  telemetry::Instruments& instruments = context_.instruments;
  if (window_.reads_clock_next()) finish_work(context_.devices.discriminator);
  const auto now = Clock::now();
  window_.step(now, result, trainer_.readings());
  instruments.step_seconds.observe(seconds_between(step_ended_, now));
  step_ended_ = now;
  instruments.images_total.add(static_cast<double>(result.images));
  instruments.images_seen.set(static_cast<double>(progress.images_seen));
  for (const auto& [phase, seconds] : result.phase_seconds)
    instruments.phase_seconds_total.at(phase).add(seconds);
  if (result.role) {
    instruments.staleness_steps.observe(static_cast<double>(result.role->age));
    const std::string network(name_in(wire::kRoleNames, result.role->network));
    instruments.role_wait_seconds_total.at(network).add(result.role->wait_seconds);
  }
  for (const auto& update : result.skipped) instruments.nonfinite_total.at(update.phase).add(1);
  read_counters();
  status_.images_seen = progress.images_seen;
  if (bar_) bar_->update(progress.images_seen);
  profile_.step(result);
}

/// Exports counters of other components.
void Reporter::read_counters() {
  telemetry::Instruments& instruments = context_.instruments;
  const Readings now = trainer_.readings();
  instruments.allreduce_seconds_total.add(now.all_reduce.busy_seconds -
                                          counted_.all_reduce.busy_seconds);
  instruments.allreduce_bytes_total.add(
      static_cast<double>(now.all_reduce.bytes - counted_.all_reduce.bytes));
  export_loader(instruments, now.loader, counted_.loader);
  counted_ = now;
  if (writer_ == nullptr) return;
  const checkpoint::WriterStatus written = writer_->status();
  instruments.checkpoint_failures_total.add(
      static_cast<double>(written.failed_count - counted_failures_));
  counted_failures_ = written.failed_count;
  if (written.written_count == 0) return;
  const double time = seconds_since_1970(written.last_success);
  instruments.checkpoint_seconds.set(written.last_write.count());
  instruments.checkpoint_last_success_timestamp_seconds.set(time);
  status_.last_checkpoint = {checkpoint::checkpoint_name(written.last_images_seen),
                             static_cast<std::int64_t>(time)};
}

/// Returns the steps of each network since the last tick: ranks of one role make them together.
std::map<std::string, std::int64_t> Reporter::take_steps() {
  std::int64_t generator = std::exchange(generator_steps_, 0);
  std::int64_t discriminator = std::exchange(discriminator_steps_, 0);
  comm::all_reduce_max(context_.group, {&generator, &discriminator});
  return {{"generator", generator}, {"discriminator", discriminator}};
}

report::Tick Reporter::make_tick(const Progress& progress, double seconds) {
  const auto means = statistics_.take(context_.group);
  const Readings now = trainer_.readings();
  const double kimg = static_cast<double>(progress.images_seen - tick_images_) / 1000;
  const double training_seconds = std::max(seconds - maintenance_seconds_, 1e-9);
  report::Tick tick;
  tick.number = progress.tick;
  tick.images_seen = progress.images_seen;
  tick.step = progress.step;
  tick.network_steps = take_steps();
  tick.world_size = context_.group.size();
  tick.seconds = progress.trained_seconds;
  tick.seconds_per_kimg = kimg > 0 ? training_seconds / kimg : 0;
  tick.maintenance_seconds = maintenance_seconds_;
  const TickReadings read = gather_readings(context_.group, tick_readings_, now, training_seconds);
  tick.data_wait_share = read.data_wait_share;
  tick.reader_threads = read.reader_threads;
  tick.read_tail_seconds = read.read_tail_seconds;
  tick.all_reduce_share = read.all_reduce_share;
  if (const auto usage = telemetry::process_usage(getpid())) {
    tick.host_memory_bytes = static_cast<std::int64_t>(usage->resident_memory_bytes);
  }
  if (context_.devices.generator.is_cuda()) {
    tick.device_memory_bytes = allocated_bytes(context_.devices);
  }
  tick.augment_p = now.augment_p;
  tick.roles = roles_.take(context_.group, training_seconds);
  tick.losses = with_prefix(means, "loss/");
  tick.scores = with_prefix(means, "score/");
  const auto& config = context_.config;
  const auto total = config.training.total_images();
  const auto rate = [&](const optim::NetworkPolicy& policy) {
    return optim::effective_rate(policy, progress.images_seen, total);
  };
  tick.learning_rates = {{"generator", rate(config.generator.policy)},
                         {"discriminator", rate(config.discriminator.policy)}};
  tick.scheduled = scheduled_values(config, progress.images_seen);
  return tick;
}

/// Returns how long training and evaluations take to the end, if each evaluation takes as long as
/// the last one.
double Reporter::seconds_left(const report::Tick& tick) const {
  const auto images_left = std::max<std::int64_t>(status_.total_images - tick.images_seen, 0);
  const double training = static_cast<double>(images_left) / 1000 * tick.seconds_per_kimg;
  const double evaluations =
      evaluation_seconds_ * static_cast<double>(evaluations_left(tick.images_seen));
  return std::min(training + evaluations, std::max(budget_seconds_left_, 0.0));
}

/// Returns how many evaluations follow one at this progress; the last is that of the complete run.
std::int64_t Reporter::evaluations_left(std::int64_t images_seen) const {
  if (images_seen >= status_.total_images) return 0;
  const double every_kimg = context_.config.evaluate.every_kimg;
  return times_due(every_kimg, images_seen, status_.total_images - 1) + 1;
}

void Reporter::tick(Progress& progress, double budget_seconds_left) {
  if (progress.images_seen == tick_images_) return;
  budget_seconds_left_ = budget_seconds_left;
  const auto now = Clock::now();
  const double seconds = seconds_between(tick_start_, now);
  progress.trained_seconds += seconds;
  progress.tick += 1;
  const report::Tick tick = make_tick(progress, seconds);
  publish(tick);
  if (context_.group.rank() == 0) write_tick(tick);
  tick_start_ = now;
  tick_images_ = progress.images_seen;
  tick_readings_ = trainer_.readings();
  maintenance_seconds_ = 0;
  profile_.write_if_over(context_.group, context_.folder);
}

void Reporter::write_tick(const report::Tick& tick) {
  log::info(report::tick_line(tick, seconds_left(tick)));
  try {
    stats_->append(report::with_time(report::to_json(tick)));
    if (mlflow_) mlflow_->notify();
    if (tensorboard_) tensorboard_->write_tick(tick);
  } catch (const files::OutputError& error) {
    // Statistics are not worth ending a run for.
    log::warning("Cannot write the statistics", {{"reason", error.what()}});
  }
}

void Reporter::fakes(const at::Tensor& images, const Progress& progress) {
  if (!tensorboard_) return;
  tensorboard_->write_grid("fakes", images, {.columns = context_.config.training.grid_columns},
                           progress.images_seen);
}

double Reporter::trained_seconds(const Progress& progress) const {
  return progress.trained_seconds + seconds_between(tick_start_, Clock::now());
}

void Reporter::metrics(const MetricsLine& line) {
  evaluation_seconds_ = line.seconds;
  if (context_.group.rank() != 0) return;
  report_evaluation(line, context_, status_);
  if (mlflow_) mlflow_->notify();
}

bool Reporter::is_measured(const Progress& progress) const {
  const auto names =
      measured_names(context_.config.evaluate.metrics, context_.config.generator.ema.others);
  bool is_found = context_.group.rank() == 0 &&
                  has_values(context_.folder.metrics(), progress.images_seen, names);
  comm::broadcast_from_rank_0(context_.group, {&is_found});
  return is_found;
}

void Reporter::measurement() {
  if (!window_.is_wanted()) return;
  status_.measured = window_.gather(context_.group, window_.shares_of(context_.devices.generator));
  if (!status_.measured || context_.group.rank() != 0) return;
  log::info("Measured", {{"steps", status_.measured->steps},
                         {"images", status_.measured->images},
                         {"seconds", status_.measured->seconds},
                         {"images_per_second", status_.measured->images_per_second()},
                         {"data_wait_seconds", status_.measured->data_wait_seconds},
                         {"all_reduce_seconds", status_.measured->all_reduce_seconds},
                         {"role_wait_seconds", status_.measured->role_wait_seconds},
                         {"straggler_ratio", status_.measured->straggler_ratio}});
}

void Reporter::publish(const report::Tick& tick) {
  telemetry::Instruments& instruments = context_.instruments;
  instruments.seconds_per_kimg.set(tick.seconds_per_kimg);
  for (const auto& [network, loss] : tick.losses) instruments.loss.at(network).set(loss);
  if (tick.augment_p) instruments.augment_p.set(*tick.augment_p);
  // Of ranks that are threads, the first has what all of them allocated.
  if (tick.device_memory_bytes && thread_rank().value_or(0) == 0)
    instruments.gpu_memory_bytes.set(static_cast<double>(*tick.device_memory_bytes));
  status_.seconds_per_kimg = tick.seconds_per_kimg;
  if (tick.seconds_per_kimg > 0) status_.images_per_second = 1000 / tick.seconds_per_kimg;
  status_.eta_seconds = seconds_left(tick);
  status_.losses = tick.losses;
  status_.augment_p = tick.augment_p;
  if (context_.server != nullptr) context_.server->set_status(status_);
}

void Reporter::state(wire::JobState state, const std::string& message) {
  status_.state = state;
  status_.message = message;
  if (context_.server != nullptr) context_.server->set_status(status_);
}

void Reporter::fail(const std::string& why) {
  state(wire::JobState::kFailed, why);
  // The other ranks, which may have failed by the same error, soon end this one.
  if (context_.log_failure) context_.log_failure();
  finish_mlflow(report::MlflowStatus::kFailed);
}

void Reporter::finish_mlflow(report::MlflowStatus status) {
  if (!mlflow_) return;
  try {
    report::write_html_report(context_.folder.root(), context_.folder.report());
  } catch (const std::exception& error) {
    log::warning("Cannot write the report for MLflow", {{"reason", error.what()}});
  }
  mlflow_->finish(status);
}

void Reporter::end(bool stopped) {
  read_counters();
  state(wire::JobState::kDone);
  if (context_.server != nullptr) print_last_status(status_);
  using report::MlflowStatus;
  finish_mlflow(stopped ? MlflowStatus::kKilled : MlflowStatus::kFinished);
}

}  // namespace ganscale::training
