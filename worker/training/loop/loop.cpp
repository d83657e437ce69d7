#include "training/loop/loop.h"

#include <chrono>
#include <thread>

#include "base/log.h"
#include "files/atomic_file.h"
#include "training/loop/orders.h"
#include "training/loop/schedule.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

using Clock = std::chrono::steady_clock;

/// Returns the next batch with the random identity of its images.
StepInput next_input(LoopParts& parts, const Progress& progress) {
  const TrainingConfig& training = parts.config.training;
  const auto dtype = parameter_dtype(training.precision);
  return {.real = data::to_model_input(parts.batches.next(), parts.device, dtype),
          .images = image_random(training.seed_mode, training.seed, parts.control.rank(),
                                 parts.control.size(), progress.images_seen)};
}

void advance(Progress& progress, const StepResult& result, std::int64_t batch) {
  progress.step += 1;
  progress.images_seen += batch;
  progress.stream_position += batch;
  progress.nonfinite_steps += result.skipped.empty() ? 0 : 1;
}

/// Ends a diverged run. All ranks see the same gradients, so all throw.
void require_finite(const StepResult& result, const Progress& progress, std::int64_t allowed) {
  for (const SkippedUpdate& update : result.skipped) {
    log::warning("Skipped an update: a gradient is NaN or infinite",
                 {{"phase", update.phase},
                  {"parameter", update.parameter},
                  {"step", progress.step},
                  {"steps_so_far", progress.nonfinite_steps}});
  }
  if (result.skipped.empty() || progress.nonfinite_steps <= allowed) return;
  const SkippedUpdate& last = result.skipped.back();
  throw ConfigError(
      "training diverged; lower the learning rates or raise training.max_nonfinite_steps: " +
      std::to_string(progress.nonfinite_steps) + " steps with NaN or infinity, the last in phase " +
      last.phase + ", parameter " + last.parameter);
}

bool checkpoint_failed(const LoopParts& parts) {
  return parts.writer != nullptr &&
         parts.config.checkpoint.on_error == checkpoint::OnError::kStop &&
         parts.writer->status().failed_count > 0;
}

/// Returns the requests of this rank: from signals, commands and failed checkpoints.
Orders local_requests(const LoopParts& parts, bool paused) {
  Orders orders{.stop = parts.stop.received(), .pause = paused};
  orders.fail = checkpoint_failed(parts);
  orders.spent = parts.budget.spent();
  if (parts.server == nullptr) return orders;
  while (const auto command = parts.server->next_command()) {
    orders.finish |= *command == wire::Command::kStop;
    orders.checkpoint |= *command == wire::Command::kCheckpoint;
    if (*command == wire::Command::kPause) orders.pause = true;
    if (*command == wire::Command::kResume) orders.pause = false;
  }
  return orders;
}

/// Agrees with the other ranks; while the run is paused, waits for the command to resume.
Orders next_orders(const LoopParts& parts) {
  Orders orders = agree(parts.control, local_requests(parts, /*paused=*/false));
  bool checkpoint = orders.checkpoint;
  const bool was_paused = orders.pause;
  if (was_paused) parts.reporter.state(wire::JobState::kPaused);
  while (orders.pause && !orders.end() && !orders.fail) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    // Only rank 0 receives commands, so only it maintains the pause.
    orders = agree(parts.control, local_requests(parts, /*paused=*/parts.server != nullptr));
    checkpoint |= orders.checkpoint;
  }
  if (was_paused) parts.reporter.state(wire::JobState::kRunning);
  orders.checkpoint = checkpoint;
  return orders;
}

[[noreturn]] void end_for_failed_checkpoint(const LoopParts& parts) {
  if (parts.writer != nullptr) parts.writer->throw_if_failed();
  throw DataError("rank 0 could not write a checkpoint, and checkpoint.on_error is stop");
}

void write_fakes(const LoopParts& parts, const Progress& progress) {
  if (parts.control.rank() != 0) return;
  try {
    parts.reporter.fakes(
        parts.grids.write_fakes(parts.replica.generator_ema(), progress.images_seen), progress);
  } catch (const files::OutputError& error) {
    log::warning("Cannot write the sample grid", {{"reason", error.what()}});
  }
}

/// Returns whether to evaluate now: if it is due or the run is done, but not if it is interrupted.
bool is_measured(const LoopParts& parts, const Orders& orders, const Progress& progress,
                 std::int64_t before) {
  if (parts.evaluator == nullptr) return false;
  if (progress.images_seen >= parts.config.training.total_images()) return true;
  return is_due(parts.config.evaluate.every_kimg, before, progress.images_seen) ||
         (orders.spent && !orders.stop);
}

/// Evaluates the averaged generator on all ranks and adds the metrics to the current checkpoint.
void evaluate(LoopParts& parts, const Progress& progress) {
  const auto start = Clock::now();
  const auto measured =
      parts.evaluator->evaluate(parts.replica.generator_ema(), parts.config.training.seed);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  parts.reporter.metrics({progress.images_seen, seconds.count(), measured});
  if (parts.writer != nullptr) parts.writer->add_metrics(progress.images_seen, measured.values);
}

/// Writes a checkpoint. A state with NaN cannot recover, even if gradients are finite, as with
/// running statistics: that ends the run, and the last good checkpoint is kept.
void write_checkpoint(LoopParts& parts, const Progress& progress) {
  const checkpoint::Snapshot snapshot = make_snapshot(parts.replica, parts.facts, progress);
  const std::string nonfinite = first_nonfinite(snapshot);
  if (!nonfinite.empty()) {
    throw ConfigError("no checkpoint was written, training diverged: NaN or infinity in " +
                      nonfinite);
  }
  parts.writer->write(snapshot);
}

/// What to do between two steps.
struct Due {
  bool tick = false;
  bool samples = false;
  bool evaluation = false;
  bool checkpoint = false;
};

Due find_due(const LoopParts& parts, const Orders& orders, bool last, const Progress& progress,
             std::int64_t before) {
  const auto is_now = [&](double every_kimg) {
    return is_due(every_kimg, before, progress.images_seen);
  };
  const RunConfig& config = parts.config;
  Due due;
  due.tick = last || is_now(config.training.tick_kimg);
  due.samples = last || is_now(config.training.samples_every_kimg);
  due.evaluation = is_measured(parts, orders, progress, before);
  const bool may_be_best = due.evaluation && !config.checkpoint.keep_best.empty();
  due.checkpoint = last || orders.checkpoint || may_be_best || is_now(config.checkpoint.every_kimg);
  return due;
}

/// Does what is due between two steps.
void maintain(LoopParts& parts, const Due& due, Progress& progress) {
  if (due.tick) parts.reporter.tick(progress);
  const auto start = Clock::now();
  if (due.samples) write_fakes(parts, progress);
  if (due.checkpoint && parts.writer != nullptr) {
    write_checkpoint(parts, progress);
    // An evaluation takes long and may fail on any rank; no training must be lost by that.
    if (due.evaluation) parts.writer->wait();
  }
  if (due.evaluation) evaluate(parts, progress);
  parts.reporter.add_maintenance(std::chrono::duration<double>(Clock::now() - start).count());
}

}  // namespace

ExitCode run_loop(LoopParts& parts, Progress& progress) {
  const std::int64_t total_images = parts.config.training.total_images();
  parts.reporter.begin(progress, parts.scheme.phase_names());
  Orders orders;
  bool last = progress.images_seen >= total_images;
  // The final evaluation may have failed before.
  if (last && parts.evaluator != nullptr && !parts.reporter.is_measured(progress)) {
    evaluate(parts, progress);
  }
  while (!last) {
    const std::int64_t before = progress.images_seen;
    const StepResult result = parts.scheme.step(next_input(parts, progress), progress);
    advance(progress, result, parts.config.training.batch);
    require_finite(result, progress, parts.config.training.max_nonfinite_steps);
    parts.reporter.step(result, progress);

    orders = next_orders(parts);
    if (orders.fail) end_for_failed_checkpoint(parts);
    last = orders.end() || progress.images_seen >= total_images;
    maintain(parts, find_due(parts, orders, last, progress, before), progress);
  }
  parts.reporter.state(wire::JobState::kStopping);
  if (parts.writer != nullptr && !parts.writer->wait()) {
    throw DataError("the last checkpoint could not be written: " +
                    parts.writer->status().last_error);
  }
  parts.reporter.end();
  return orders.stop ? ExitCode::kStopped : ExitCode::kOk;
}

}  // namespace ganscale::training
