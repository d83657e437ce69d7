#include "training/loop/reporter.h"

#include <ATen/ops/zeros.h>

#include <limits>

#include "base/log.h"
#include "base/with_prefix.h"
#include "checkpoint/checkpoint_name.h"
#include "device/gpu.h"
#include "files/atomic_file.h"
#include "report/memory.h"
#include "report/tick_line.h"
#include "training/run/job_status.h"

namespace ganscale::training {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

Reporter::Reporter(ReporterParts parts)
    : parts_(std::move(parts)),
      status_(first_status(parts_.config, parts_.folder, parts_.control.size())) {}

void Reporter::begin(const Progress& progress, const std::vector<std::string>& phases) {
  status_.images_seen = progress.images_seen;
  if (parts_.control.rank() == 0) {
    stats_.emplace(parts_.folder.stats(), progress.images_seen);
    metrics_.emplace(parts_.folder.metrics(), progress.images_seen);
    if (parts_.config.training.tensorboard) open_tensorboard(progress.images_seen);
    bar_.emplace("images", status_.total_images, progress.images_seen);
  }
  for (const std::string& phase : phases) {
    parts_.instruments.phase_seconds_total.at(phase);
    parts_.instruments.nonfinite_total.at(phase);
  }
  parts_.instruments.world_size.set(parts_.control.size());
  parts_.instruments.images_seen.set(static_cast<double>(progress.images_seen));
  parts_.instruments.images_goal.set(static_cast<double>(status_.total_images));
  tick_start_ = step_ended_ = Clock::now();
  tick_images_ = progress.images_seen;
  state(wire::JobState::kRunning);
}

void Reporter::open_tensorboard(std::int64_t images_seen) {
  try {
    tensorboard_.emplace(parts_.folder.events(), images_seen);
  } catch (const files::OutputError& error) {
    log::warning("Cannot write for TensorBoard", {{"reason", error.what()}});
  }
}

void Reporter::step(const StepResult& result, const Progress& progress) {
  statistics_.add(result.statistics);
  telemetry::Instruments& instruments = parts_.instruments;
  const auto now = Clock::now();
  instruments.step_seconds.observe(seconds_between(step_ended_, now));
  step_ended_ = now;
  instruments.images_total.add(static_cast<double>(parts_.config.training.batch) /
                               parts_.control.size());
  instruments.images_seen.set(static_cast<double>(progress.images_seen));
  for (const auto& [phase, seconds] : result.phase_seconds)
    instruments.phase_seconds_total.at(phase).add(seconds);
  for (const auto& update : result.skipped) instruments.nonfinite_total.at(update.phase).add(1);
  read_counters();
  status_.images_seen = progress.images_seen;
  if (bar_) bar_->update(progress.images_seen);
}

/// Exports counters of other components.
void Reporter::read_counters() {
  telemetry::Instruments& instruments = parts_.instruments;
  const double wait_seconds = parts_.batches.wait_seconds();
  instruments.data_wait_seconds_total.add(wait_seconds - counted_wait_seconds_);
  counted_wait_seconds_ = wait_seconds;
  const comm::AllReduceCost cost = parts_.gradients.all_reduce_cost();
  instruments.allreduce_seconds_total.add(cost.busy_seconds - counted_cost_.busy_seconds);
  instruments.allreduce_bytes_total.add(static_cast<double>(cost.bytes - counted_cost_.bytes));
  counted_cost_ = cost;
  instruments.prefetch_depth.set(parts_.batches.depth());
  instruments.reader_threads.set(parts_.batches.reader_threads());
  if (parts_.writer == nullptr) return;
  const checkpoint::WriterStatus written = parts_.writer->status();
  instruments.checkpoint_failures_total.add(
      static_cast<double>(written.failed_count - counted_failures_));
  counted_failures_ = written.failed_count;
  if (written.written_count == 0) return;
  const auto time = written.last_success.time_since_epoch();
  instruments.checkpoint_seconds.set(written.last_write.count());
  instruments.checkpoint_last_success_timestamp_seconds.set(
      std::chrono::duration<double>(time).count());
  status_.last_checkpoint = {checkpoint::checkpoint_name(written.last_images_seen),
                             std::chrono::duration_cast<std::chrono::seconds>(time).count()};
}

report::Tick Reporter::make_tick(const Progress& progress, double seconds) {
  const auto means = statistics_.take(parts_.control);
  const comm::AllReduceCost cost = parts_.gradients.all_reduce_cost();
  const double kimg = static_cast<double>(progress.images_seen - tick_images_) / 1000;
  const double training_seconds = std::max(seconds - maintenance_seconds_, 1e-9);
  report::Tick tick;
  tick.number = progress.tick;
  tick.images_seen = progress.images_seen;
  tick.step = progress.step;
  tick.world_size = parts_.control.size();
  tick.seconds = progress.trained_seconds;
  tick.seconds_per_kimg = kimg > 0 ? training_seconds / kimg : 0;
  tick.maintenance_seconds = maintenance_seconds_;
  tick.data_wait_share = (parts_.batches.wait_seconds() - tick_wait_seconds_) / training_seconds;
  tick.all_reduce_share = (cost.exposed_seconds - tick_cost_.exposed_seconds) / training_seconds;
  tick.host_memory_bytes = report::resident_memory_bytes();
  if (parts_.device.is_cuda()) {
    tick.device_memory_bytes = device::device_memory(parts_.device).allocated_bytes;
  }
  tick.augment_p = parts_.augmentation.p();
  tick.losses = with_prefix(means, "loss/");
  tick.scores = with_prefix(means, "score/");
  const auto& config = parts_.config;
  const auto total = config.training.total_images();
  const auto rate = [&](const optim::OptimizerConfig& c) {
    return optim::learning_rate(c.schedule, c.learning_rate, progress.images_seen, total);
  };
  tick.learning_rates = {{"generator", rate(config.generator.optimizer)},
                         {"discriminator", rate(config.discriminator.optimizer)}};
  return tick;
}

double Reporter::seconds_left(const report::Tick& tick) const {
  const auto images_left = std::max<std::int64_t>(status_.total_images - tick.images_seen, 0);
  return static_cast<double>(images_left) / 1000 * tick.seconds_per_kimg;
}

void Reporter::tick(Progress& progress) {
  if (progress.images_seen == tick_images_) return;
  const auto now = Clock::now();
  const double seconds = seconds_between(tick_start_, now);
  progress.trained_seconds += seconds;
  progress.tick += 1;
  const report::Tick tick = make_tick(progress, seconds);
  publish(tick);
  if (parts_.control.rank() == 0) write_tick(tick);
  tick_start_ = now;
  tick_images_ = progress.images_seen;
  tick_wait_seconds_ = parts_.batches.wait_seconds();
  tick_cost_ = parts_.gradients.all_reduce_cost();
  maintenance_seconds_ = 0;
}

void Reporter::write_tick(const report::Tick& tick) {
  log::info(report::tick_line(tick, seconds_left(tick)));
  try {
    stats_->append(report::to_json(tick));
    if (tensorboard_) tensorboard_->write_tick(tick);
  } catch (const files::OutputError& error) {
    // Statistics are not worth ending a run for.
    log::warning("Cannot write the statistics", {{"reason", error.what()}});
  }
}

void Reporter::fakes(const at::Tensor& images, const Progress& progress) {
  if (!tensorboard_) return;
  tensorboard_->write_grid("fakes", images, {.columns = parts_.config.training.grid_columns},
                           progress.images_seen);
}

void Reporter::metrics(const MetricsLine& line) {
  if (parts_.control.rank() != 0) return;
  if (const auto fid = first_value(line.measured, "fid")) {
    parts_.instruments.fid.set(*fid);
    status_.fid = fid;
  }
  if (const auto score = first_value(line.measured, "is"))
    parts_.instruments.inception_score.set(*score);
  const auto json = to_json(line);
  log::info("Evaluated the generator", {{"metrics", json.dump()}});
  try {
    metrics_->append(json);
  } catch (const files::OutputError& error) {
    log::warning("Cannot write the metrics", {{"reason", error.what()}});
  }
}

bool Reporter::is_measured(const Progress& progress) const {
  const at::Tensor found = at::zeros({1}, at::kLong);
  if (parts_.control.rank() == 0) {
    found.fill_(newest_images_seen(parts_.folder.metrics()) >= progress.images_seen ? 1 : 0);
  }
  parts_.control.broadcast(found, 0);
  return found.item<std::int64_t>() != 0;
}

void Reporter::publish(const report::Tick& tick) {
  telemetry::Instruments& instruments = parts_.instruments;
  instruments.seconds_per_kimg.set(tick.seconds_per_kimg);
  for (const auto& [network, loss] : tick.losses) instruments.loss.at(network).set(loss);
  if (tick.augment_p) instruments.augment_p.set(*tick.augment_p);
  if (tick.device_memory_bytes)
    instruments.gpu_memory_bytes.set(static_cast<double>(*tick.device_memory_bytes));
  status_.seconds_per_kimg = tick.seconds_per_kimg;
  if (tick.seconds_per_kimg > 0) status_.images_per_second = 1000 / tick.seconds_per_kimg;
  status_.eta_seconds = seconds_left(tick);
  status_.losses = tick.losses;
  status_.augment_p = tick.augment_p;
  if (parts_.server != nullptr) parts_.server->set_status(status_);
}

void Reporter::state(wire::JobState state, const std::string& message) {
  status_.state = state;
  status_.message = message;
  if (parts_.server != nullptr) parts_.server->set_status(status_);
}

void Reporter::end() {
  read_counters();
  state(wire::JobState::kDone);
  if (parts_.server != nullptr) print_last_status(status_);
}

}  // namespace ganscale::training
