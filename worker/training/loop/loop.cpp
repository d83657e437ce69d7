#include "training/loop/loop.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <thread>

#include "base/log.h"
#include "checkpoint/writer.h"
#include "comm/collectives/numbers.h"
#include "device/cached_memory.h"
#include "device/translate_errors.h"
#include "files/atomic_file.h"
#include "files/input_error.h"
#include "files/remove_temporaries.h"
#include "training/loop/agreement.h"
#include "training/loop/evaluate_averages.h"
#include "training/loop/reporter.h"
#include "training/loop/sample_grids.h"
#include "training/replica/run_snapshot.h"

namespace ganscale::training {
namespace {

using Clock = std::chrono::steady_clock;

/// A run of many weeks may skip an update now and then; one that diverged skips most of them.
constexpr std::int64_t kNonfiniteWindowSteps = 1000;

/// After these steps all phases of the presets have run, and cuDNN has chosen its algorithms: the
/// workspaces of those that it only tried are in the way.
constexpr std::int64_t kSearchSteps = 16;

/// Ends a run that diverged. recent: the steps of the window that skipped an update.
void require_finite(const StepResult& result, const Progress& progress, std::size_t recent,
                    std::int64_t allowed) {
  for (const SkippedUpdate& update : result.skipped) {
    log::warning("Skipped an update: a gradient is NaN or infinite",
                 {{"phase", update.phase},
                  {"parameter", update.parameter},
                  {"step", progress.step},
                  {"steps_so_far", progress.nonfinite_steps}});
  }
  if (static_cast<std::int64_t>(recent) <= allowed) return;
  const SkippedUpdate& last = result.skipped.back();
  throw ConfigError(
      "training diverged; lower the learning rates or raise training.max_nonfinite_steps: " +
      std::to_string(recent) + " of the last " + std::to_string(kNonfiniteWindowSteps) +
      " steps with NaN or infinity, the last in phase " + last.phase + ", parameter " +
      last.parameter);
}

void require_finite(const checkpoint::Snapshot& snapshot) {
  const std::string nonfinite = first_nonfinite(snapshot);
  if (nonfinite.empty()) return;
  throw ConfigError("training diverged, so no checkpoint was written: NaN or infinity in " +
                    nonfinite);
}

/// orders:       those that ended the run, if any did before it was complete.
/// has_measured: whether a window that was to be measured is over.
std::string_view reason_of_the_end(const Orders& orders, bool has_measured) {
  if (orders.stop) return "Stopped by a signal, after a checkpoint";
  if (has_measured) return "Stopped: the measured window is over";
  if (orders.finish) return "Stopped by a command, after a checkpoint";
  if (orders.spent) return "Stopped: the budget is used up";
  return "Training is complete";
}

/// Returns the exit code that the program ends with for an exception.
ExitCode exit_code_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.code();
  } catch (const std::filesystem::filesystem_error&) {
    return ExitCode::kData;
  } catch (...) {
    return ExitCode::kBug;
  }
}

/// What to do between two steps.
struct Due {
  bool tick = false;
  bool samples = false;
  bool evaluation = false;
  bool checkpoint = false;

  bool any() const { return tick || samples || evaluation || checkpoint; }
};

/// The loop of one rank.
class Loop {
 public:
  Loop(const TrainingContext& context, Trainer& trainer, Progress& progress)
      : context_(context),
        config_(context.config),
        trainer_(trainer),
        progress_(progress),
        grids_(config_.training, context.folder),
        writer_(open_folder()),
        reporter_(context, trainer, writer_.get()),
        begin_(progress),
        budget_(config_.budget.seconds_left(
            std::max(progress.trained_seconds, context.spent_seconds),
            device_seconds(progress.trained_seconds), context.device_count)) {}

  ExitCode run();
  void fail(const std::string& why);

 private:
  bool is_complete() const { return progress_.images_seen >= config_.training.total_images(); }
  /// Returns the time of all devices after so many seconds of the run.
  double device_seconds(double trained_seconds) const {
    const int devices = context_.device_count;
    return begin_.device_seconds.value_or(begin_.trained_seconds * devices) +
           (trained_seconds - begin_.trained_seconds) * devices;
  }

  std::unique_ptr<checkpoint::Writer> open_folder();
  void write_reals() const;
  void count_nonfinite(const StepResult& result);
  void release_cached_memory() const;
  Orders train_to_agreement();
  Due find_due(const Orders& orders) const;
  bool is_evaluation_due(const Orders& orders) const;
  Orders local_requests(bool paused) const;
  Orders agree_on_orders();
  [[noreturn]] void end_for_failed_checkpoint() const;
  void maintain(const Due& due);
  checkpoint::Snapshot gather_snapshot(const Progress& progress) const;
  void write_checkpoint();
  void write_fakes();
  bool was_due(double every_kimg, const Orders& orders) const;
  bool lacks_samples(const Orders& orders) const;
  bool lacks_evaluation(const Orders& orders) const;
  void evaluate(models::Generator& average);

  const TrainingContext& context_;
  const RunConfig& config_;
  Trainer& trainer_;
  Progress& progress_;
  const SampleGrids grids_;
  const std::unique_ptr<checkpoint::Writer> writer_;  // rank 0 only
  Reporter reporter_;
  const Progress begin_;  // of this attempt
  const Budget budget_;
  std::int64_t steps_ = 0;          // of this process
  std::int64_t agreed_images_ = 0;  // seen at the last agreement
};

/// Creates the run folder and the checkpoint writer, on rank 0 only.
std::unique_ptr<checkpoint::Writer> Loop::open_folder() {
  const checkpoint::Snapshot snapshot = gather_snapshot(progress_);
  if (context_.group.rank() != 0) return nullptr;
  context_.folder.create();
  for (const auto& folder : {context_.folder.root(), context_.folder.samples()}) {
    files::remove_temporaries(folder);
  }
  log::set_file(context_.folder.log());
  context_.folder.write_config(config_.resolved, config_.checkpoint.on_error);
  auto writer =
      std::make_unique<checkpoint::Writer>(context_.folder.root(), config_.checkpoint,
                                           [folder = context_.folder] { folder.require_lock(); });
  writer->prepare(snapshot);
  if (progress_.images_seen == 0) write_reals();
  return writer;
}

checkpoint::Snapshot Loop::gather_snapshot(const Progress& progress) const {
  auto snapshot = make_snapshot(trainer_.gather_state(), context_.dataset.facts, progress);
  if (!context_.start.empty()) snapshot.state["provenance"] = context_.start;
  return snapshot;
}

void Loop::write_reals() const {
  try {
    grids_.write_reals(*context_.dataset.source, context_.dataset.policy,
                       config_.model.label_count);
  } catch (const files::OutputError& error) {
    log::warning("Cannot write the grid of reals", {{"reason", error.what()}});
  }
}

void Loop::count_nonfinite(const StepResult& result) {
  progress_.nonfinite_steps += 1;
  std::vector<std::int64_t>& recent = progress_.recent_nonfinite_steps;
  recent.push_back(progress_.step);
  std::erase_if(recent, [&](auto step) { return step <= progress_.step - kNonfiniteWindowSteps; });
  require_finite(result, progress_, recent.size(), config_.training.max_nonfinite_steps);
}

void Loop::release_cached_memory() const {
  device::release_cached_memory(context_.devices.generator);
  if (context_.devices.discriminator != context_.devices.generator)
    device::release_cached_memory(context_.devices.discriminator);
}

/// Trains the steps to the next agreement, and agrees.
Orders Loop::train_to_agreement() {
  agreed_images_ = progress_.images_seen;
  const std::int64_t steps = trainer_.steps_between_agreements();
  for (std::int64_t i = 0; i < steps; ++i) {
    const StepResult result = trainer_.step(progress_);
    if (!result.skipped.empty()) count_nonfinite(result);
    if (++steps_ == kSearchSteps) release_cached_memory();
    reporter_.step(result, progress_);
    if (is_complete() || find_due({}).any()) break;
  }
  trainer_.reconcile(progress_);
  return agree_on_orders();
}

/// Returns whether to evaluate now: if it is due or the run is done, but not if it is interrupted.
bool Loop::is_evaluation_due(const Orders& orders) const {
  if (context_.evaluator == nullptr) return false;
  if (is_complete()) return true;
  if (orders.stop || orders.finish) return false;
  return orders.spent || is_due(config_.evaluate.every_kimg, agreed_images_, progress_.images_seen);
}

Due Loop::find_due(const Orders& orders) const {
  const auto is_now = [&](double every_kimg) {
    return is_due(every_kimg, agreed_images_, progress_.images_seen);
  };
  const bool last = orders.end() || is_complete();
  // An interrupted run may have little time left, and goes on later.
  const bool is_result = is_complete() || orders.spent;
  Due due;
  due.tick = last || is_now(config_.training.tick_kimg);
  due.samples = is_result || is_now(config_.training.samples_every_kimg);
  due.evaluation = is_evaluation_due(orders);
  due.checkpoint =
      last || orders.checkpoint || due.evaluation || is_now(config_.checkpoint.every_kimg);
  return due;
}

/// Returns the requests of this rank: from signals, commands and failed checkpoints.
Orders Loop::local_requests(bool paused) const {
  Orders orders{.stop = context_.stop.received(), .pause = paused};
  orders.fail = writer_ != nullptr && writer_->has_failed();
  orders.spent = budget_.spent();
  orders.finish = reporter_.has_measured();
  if (context_.server == nullptr) return orders;
  while (const auto command = context_.server->next_command()) {
    orders.finish |= *command == wire::Command::kStop;
    orders.checkpoint |= *command == wire::Command::kCheckpoint;
    if (*command == wire::Command::kPause) orders.pause = true;
    if (*command == wire::Command::kResume) orders.pause = false;
  }
  return orders;
}

/// Agrees with the other ranks; while the run is paused, waits for the command to resume.
Orders Loop::agree_on_orders() {
  Orders orders = agree(context_.group, local_requests(/*paused=*/false));
  bool checkpoint = orders.checkpoint;
  const bool was_paused = orders.pause;
  if (was_paused) reporter_.state(wire::JobState::kPaused);
  const auto start = Clock::now();
  while (orders.pause && !orders.end() && !orders.fail) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    // Only rank 0 receives commands, so only it maintains the pause.
    orders = agree(context_.group, local_requests(/*paused=*/context_.server != nullptr));
    checkpoint |= orders.checkpoint;
  }
  if (was_paused) {
    reporter_.add_maintenance(std::chrono::duration<double>(Clock::now() - start).count());
    reporter_.state(wire::JobState::kRunning);
  }
  orders.checkpoint = checkpoint;
  if (orders.fail) end_for_failed_checkpoint();
  return orders;
}

/// Ends all ranks with the exit code of rank 0: mpirun returns that of the rank that ends first.
void Loop::end_for_failed_checkpoint() const {
  std::exception_ptr failure;
  try {
    if (writer_ != nullptr) writer_->throw_if_failed();
  } catch (...) {
    failure = std::current_exception();
  }
  std::int64_t code = failure == nullptr ? 0 : static_cast<std::int64_t>(exit_code_of(failure));
  comm::broadcast_from_rank_0(context_.group, {&code});
  if (failure != nullptr) std::rethrow_exception(failure);
  throw Error(static_cast<ExitCode>(code),
              "rank 0 can't write a checkpoint, and ends the run; its error says why");
}

/// Takes the actions that are due at an agreement.
void Loop::maintain(const Due& due) {
  if (due.tick) reporter_.tick(progress_, budget_.seconds_left());
  const auto start = Clock::now();
  if (due.checkpoint) write_checkpoint();  // first: a run that is to stop may be killed any moment
  if (due.samples) write_fakes();
  if (due.evaluation) {
    // An evaluation takes long and may fail on any rank; no training must be lost by that.
    if (writer_ != nullptr) writer_->wait();
    context_.group.barrier();  // without a timeout, as the storage may be slow
    evaluate(trainer_.averaged_generator());
  }
  reporter_.add_maintenance(std::chrono::duration<double>(Clock::now() - start).count());
}

/// Writes a checkpoint. A state with NaN cannot recover, even if gradients are finite, as with
/// running statistics: that ends the run, and the last good checkpoint is kept.
void Loop::write_checkpoint() {
  Progress progress = progress_;
  progress.trained_seconds = reporter_.trained_seconds(progress_);  // the last tick may be long ago
  progress.device_seconds = device_seconds(progress.trained_seconds);
  const checkpoint::Snapshot snapshot = gather_snapshot(progress);
  bool waits = writer_ != nullptr && writer_->is_busy();
  comm::broadcast_from_rank_0(context_.group, {&waits});
  if (writer_ != nullptr) {
    require_finite(snapshot);
    writer_->write(snapshot);
  }
  if (waits) context_.group.barrier();  // without a timeout, as the storage may be slow
}

void Loop::write_fakes() {
  try {
    models::Generator& average = trainer_.averaged_generator();
    if (context_.group.rank() != 0) return;
    reporter_.fakes(grids_.write_fakes(average, progress_.images_seen), progress_);
  } catch (const files::OutputError& error) {
    log::warning("Cannot write the sample grid", {{"reason", error.what()}});
  }
}

/// Returns whether this attempt begins where an earlier one was to do what is due every `every_kimg`
/// and at the end.
bool Loop::was_due(double every_kimg, const Orders& orders) const {
  const std::int64_t images = progress_.images_seen;
  const std::int64_t before = std::max<std::int64_t>(images - config_.training.batch, 0);
  return is_complete() || orders.spent || is_due(every_kimg, before, images);
}

/// Returns whether samples are shown before the first step: those of untrained networks, or those
/// that an earlier attempt was to show, but failed or was interrupted.
bool Loop::lacks_samples(const Orders& orders) const {
  const double every_kimg = config_.training.samples_every_kimg;
  if (progress_.images_seen == 0) return every_kimg > 0;
  if (!was_due(every_kimg, orders)) return false;
  bool lacks =
      context_.group.rank() == 0 && files::is_missing(context_.folder.fakes(progress_.images_seen));
  comm::broadcast_from_rank_0(context_.group, {&lacks});
  return lacks;
}

/// Returns whether this attempt begins where an earlier one was to evaluate, but failed or was
/// interrupted.
bool Loop::lacks_evaluation(const Orders& orders) const {
  return context_.evaluator != nullptr && was_due(config_.evaluate.every_kimg, orders) &&
         !reporter_.is_measured(progress_);
}

/// Evaluates the averages of the generator on all ranks and adds the metrics to the current
/// checkpoint.
void Loop::evaluate(models::Generator& average) {
  const auto start = Clock::now();
  const double training_seconds = reporter_.trained_seconds(progress_);
  const auto measured = evaluate_averages(*context_.evaluator, average, config_.generator.ema.kimg,
                                          trainer_.other_averages(), config_.training.seed);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  // The line comes last: an attempt that finds it does not evaluate again.
  if (writer_ != nullptr) writer_->add_metrics(progress_.images_seen, measured.values);
  reporter_.metrics({progress_.images_seen, seconds.count(), measured, training_seconds});
  // Without a timeout, as rank 0 may have read all earlier checkpoints before it deleted any.
  context_.group.barrier();
}

ExitCode Loop::run() {
  reporter_.begin(progress_);
  Orders orders;
  if (progress_.images_seen > 0) {
    orders.spent = agree(context_.group, {.spent = budget_.spent()}).spent;
  }
  maintain({.samples = lacks_samples(orders), .evaluation = lacks_evaluation(orders)});
  while (!orders.end() && !is_complete()) {
    orders = train_to_agreement();
    maintain(find_due(orders));
  }
  reporter_.state(wire::JobState::kStopping);
  reporter_.measurement();
  if (writer_ != nullptr && !writer_->wait()) {
    throw DataError("the last checkpoint could not be written: " + writer_->status().last_error);
  }
  reporter_.end(orders.stop);
  log::info(reason_of_the_end(orders, reporter_.has_measured()),
            {{"kimg", static_cast<double>(progress_.images_seen) / 1000},
             {"run", context_.folder.root()}});
  return orders.stop ? ExitCode::kStopped : ExitCode::kOk;
}

/// Reports a failure and completes the checkpoint in progress, which would be abandoned.
void Loop::fail(const std::string& why) {
  reporter_.fail(why);
  try {
    if (writer_ != nullptr) writer_->wait();
  } catch (const std::exception&) {
    // The writer has logged why.
  }
}

}  // namespace

ExitCode run_loop(const TrainingContext& context, Trainer& trainer, Progress& progress) {
  Loop loop(context, trainer, progress);
  ExitCode code = ExitCode::kOk;
  try {
    // Here already, for what is logged and published of a failure.
    device::translate_errors([&] { code = loop.run(); });
  } catch (const c10::Error& error) {
    loop.fail(error.what_without_backtrace());
    throw;
  } catch (const std::exception& error) {
    loop.fail(error.what());
    throw;
  }
  return code;
}

}  // namespace ganscale::training
