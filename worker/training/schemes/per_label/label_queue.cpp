#include "training/schemes/per_label/label_queue.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "base/stopwatch.h"
#include "base/utf8.h"
#include "checkpoint/reader.h"
#include "comm/backends/thread_group.h"
#include "data/sources/subset_source.h"
#include "device/translate_errors.h"
#include "training/replica/run_snapshot.h"
#include "training/run/job_status.h"
#include "training/schemes/per_label/label_plan.h"

namespace ganscale::training {
namespace {

/// The rest of an exhausted budget: 0 would mean no budget.
constexpr double kNoTime = 1e-9;

/// Returns the time spent on a label so far. For a killed attempt, up to its checkpoint.
double cost_of(const LabelState& state) { return std::max(state.spent_seconds, state.seconds); }

/// Returns whether a label is finished. budget_seconds: its share; 0 if there is no budget.
bool is_finished(const LabelState& state, double budget_seconds) {
  if (state.state == wire::LabelStage::kDone) return state.images_seen >= state.total_images;
  return state.state == wire::LabelStage::kOutOfBudget && budget_seconds > 0 &&
         cost_of(state) >= budget_seconds;
}

/// reason: may name a file, by any bytes.
void fail(LabelState& state, const std::string& reason, ExitCode code) {
  state.state = wire::LabelStage::kFailed;
  state.error = valid_utf8(reason);
  state.exit_code = static_cast<int>(code);
  log::error("A label failed",
             {{"label", state.label}, {"attempt", state.attempts}, {"reason", state.error}});
}

/// Reads the state of a label. A damaged file does no harm, since the checkpoints have the rest.
/// Without any checkpoint, a label has no generator, and waits for its training.
LabelState read_state_or_default(const std::filesystem::path& folder) {
  try {
    LabelState state = read_label_state(folder).value_or(LabelState{});
    if (state.is_trained() && checkpoint::list_checkpoints(folder).empty()) {
      log::warning("Training a label again, since its checkpoints are gone", {{"folder", folder}});
      state.state = wire::LabelStage::kWaiting;
      state.seconds = state.spent_seconds = 0;  // its training begins anew, so does its share
    }
    return state;
  } catch (const DataError& error) {
    log::warning("Resuming a label from its newest checkpoint", {{"reason", error.what()}});
    return {};
  }
}

}  // namespace

LabelQueue::LabelQueue(const TrainingContext& context, const LabelRecords& records, int attempts)
    : context_(context),
      records_(records),
      names_(context.dataset.source->label_names()),
      attempts_(attempts),
      single_group_(comm::make_single_group()),
      status_(
          first_status(context.config, context.folder, context.group.size(), context.preflight)) {}

std::int64_t LabelQueue::images_of(std::int64_t label) const {
  return images_of_label(static_cast<std::int64_t>(records_of(label).size()),
                         context_.dataset.source->record_count(),
                         context_.config.training.total_images());
}

/// Publishes the progress of this rank. It does not know about other ranks' labels before the end.
void LabelQueue::publish_progress(std::size_t over, std::size_t all) {
  if (context_.server == nullptr) return;
  status_.state = wire::JobState::kRunning;
  status_.message =
      "rank 0: " + std::to_string(over) + " of its " + std::to_string(all) + " labels finished";
  context_.server->set_status(status_);
}

/// Returns the state with which a label begins, with its records and images by the current
/// configuration. Throws ConfigError if the label had another name: before any one is trained.
LabelState LabelQueue::begin(std::int64_t label) const {
  LabelState state = read_state_or_default(label_folder(context_.folder, label));
  state.label = label;
  const auto place = static_cast<std::size_t>(label);
  if (place < names_.size()) {
    const std::string name = valid_utf8(names_[place]);
    require_same_name(label, state.name, name);
    state.name = name;
  }
  state.records = static_cast<std::int64_t>(records_of(label).size());
  state.total_images = images_of(label);
  return state;
}

/// Returns what `use` returns for the context of a label's training.
template <class Use>
auto LabelQueue::with_context(const LabelState& state, double budget_seconds,
                              const Use& use) const {
  RunConfig config = context_.config;
  config.training.seed = label_seed(config.training.seed, state.label, state.attempts);
  // Half an image more, to make up for rounding.
  config.training.total_kimg = (static_cast<double>(state.total_images) + 0.5) / 1000;
  config.budget = {.wall_seconds = budget_seconds};
  Dataset dataset{.source = std::make_unique<data::SubsetSource>(*context_.dataset.source,
                                                                 records_of(state.label)),
                  .policy = context_.dataset.policy,
                  .facts = context_.dataset.facts};
  dataset.facts.record_count = state.records;
  return use(
      TrainingContext{.config = config,
                      .folder = context_.folder.part(label_folder(context_.folder, state.label)),
                      .dataset = dataset,
                      .devices = context_.devices,
                      .group = *single_group_,
                      .stop = context_.stop,
                      .instruments = context_.instruments,
                      .spent_seconds = cost_of(state),
                      .device_count = config.training.devices_per_process,
                      .start = context_.start});
}

void LabelQueue::try_first(const std::vector<std::int64_t>& labels) const {
  with_context(begin(labels.front()), /*budget_seconds=*/0, try_training);
}

/// Writes a label's state, unless another attempt has taken the run over: throws PeerLost.
void LabelQueue::write(const LabelState& state) const {
  try {
    context_.folder.require_lock();
  } catch (const DataError& error) {
    // The storage may be away for a moment. The label's checkpoints ask again.
    log::warning("Cannot find out whether another training has taken the run over",
                 {{"reason", error.what()}});
  }
  write_label_state(label_folder(context_.folder, state.label), state);
}

/// Trains a label once. An error does not affect other labels.
void LabelQueue::try_label(LabelState& state, double budget_seconds) {
  const double cost_before = cost_of(state);
  const Stopwatch watch;
  state.state = wire::LabelStage::kTraining;
  write(state);
  try {
    TrainingResult result;
    device::translate_errors([&] { result = with_context(state, budget_seconds, train); });
    stopped_ = result.code == ExitCode::kStopped;
    state.images_seen = result.progress.images_seen;
    state.seconds = result.progress.trained_seconds;
    const bool is_done = state.images_seen >= state.total_images;
    if (!stopped_) state.state = is_done ? wire::LabelStage::kDone : wire::LabelStage::kOutOfBudget;
    state.error.clear();
    state.exit_code = 0;
  } catch (const DeviceError&) {
    throw;
  } catch (const PeerLost&) {
    throw;
  } catch (const Error& error) {
    fail(state, error.what(), error.code());
  } catch (const std::filesystem::filesystem_error& error) {
    fail(state, error.what(), ExitCode::kData);
  } catch (const c10::Error& error) {
    fail(state, error.what_without_backtrace(), ExitCode::kBug);
  } catch (const std::exception& error) {
    fail(state, error.what(), ExitCode::kBug);
  }
  state.spent_seconds = cost_before + watch.seconds();
  write(state);
}

void LabelQueue::train_label(LabelState& state, double budget_seconds) {
  // An attempt that did not fail goes on from its checkpoint, with its own seed.
  const bool goes_on = state.state != wire::LabelStage::kFailed && state.attempts > 0;
  state.attempts = goes_on ? state.attempts - 1 : 0;
  do {
    ++state.attempts;
    try_label(state, budget_seconds);
  } while (state.state == wire::LabelStage::kFailed && !context_.stop.received() &&
           state.attempts < attempts_);
  if (state.state != wire::LabelStage::kFailed) return;
  if (state.attempts < attempts_) {
    stopped_ = true;  // by a signal: the next start tries it again
  } else if (first_failure_ == ExitCode::kOk) {
    first_failure_ = static_cast<ExitCode>(state.exit_code);
  }
}

/// Switches from the label's log back to the run's.
void LabelQueue::log_end(const LabelState& state, std::size_t left) const {
  log::set_file(context_.group.rank() == 0 ? context_.folder.log() : std::filesystem::path());
  log::info("Finished label", {{"label", state.label},
                               {"name", state.name},
                               {"state", wire::name(state.state)},
                               {"kimg", static_cast<double>(state.images_seen) / 1000},
                               {"seconds", state.seconds},
                               {"left_to_this_rank", left}});
}

bool LabelQueue::train_labels(const std::vector<std::int64_t>& labels) {
  std::int64_t records_left = 0;
  double seconds_left = context_.config.budget.seconds(context_.device_count);
  status_.total_images = 0;
  std::vector<LabelState> states;
  for (const auto label : labels) {
    states.push_back(begin(label));
    records_left += states.back().records;
    status_.total_images += states.back().total_images;
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (stopped_ || context_.stop.received()) return true;
    publish_progress(i, states.size());
    LabelState& state = states[i];
    const double share =
        seconds_left * static_cast<double>(state.records) / static_cast<double>(records_left);
    if (!is_finished(state, share)) {
      train_label(state, share);
      log_end(state, states.size() - i - 1);
    }
    if (seconds_left > 0) seconds_left = std::max(seconds_left - cost_of(state), kNoTime);
    records_left -= state.records;
    status_.images_seen += state.images_seen;
  }
  publish_progress(states.size(), states.size());
  return stopped_;
}

}  // namespace ganscale::training
