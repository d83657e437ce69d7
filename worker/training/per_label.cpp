#include "training/per_label.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/log.h"
#include "comm/thread_group.h"
#include "data/subset_source.h"
#include "report/output_file.h"
#include "training/job_status.h"
#include "training/label_bundle_file.h"
#include "training/label_plan.h"
#include "training/metrics_log.h"
#include "training/trained_generator.h"

namespace ganscale::training {
namespace {

/// What is left of a budget that is spent: 0 would be no budget.
constexpr double kNoTime = 1e-9;

/// The records of each label.
using Records = std::vector<std::vector<std::int64_t>>;

Records records_by_label(const data::Source& source) {
  if (source.label_count() == 0) return {};
  Records records(static_cast<std::size_t>(source.label_count()));
  for (std::int64_t i = 0; i < source.record_count(); ++i) {
    records[static_cast<std::size_t>(source.label(i))].push_back(i);
  }
  return records;
}

std::vector<std::int64_t> counts_of(const Records& records) {
  std::vector<std::int64_t> counts;
  for (const auto& of_label : records) counts.push_back(static_cast<std::int64_t>(of_label.size()));
  return counts;
}

void require_trainable(const RunConfig& config, const std::vector<std::int64_t>& counts) {
  if (models::takes_labels(config.model)) {
    throw ConfigError("scheme per_label gives each label a generator of its own; take an " +
                      std::string("unconditional model such as dcgan: ") + config.model.name);
  }
  if (counts.empty()) {
    throw ConfigError("scheme per_label needs labels, and the data set has none: " +
                      config.data.path);
  }
  std::string small;
  for (std::size_t label = 0; label < counts.size(); ++label) {
    if (counts[label] == 0 || counts[label] >= config.training.batch) continue;
    small.append(" ").append(std::to_string(label)).append(" (");
    small.append(std::to_string(counts[label])).append(")");
  }
  if (!small.empty()) {
    throw ConfigError("labels have fewer records than training.batch, " +
                      std::to_string(config.training.batch) +
                      "; lower it, or leave these labels out of the data set:" + small);
  }
}

/// One rank's work.
class LabelQueue {
 public:
  LabelQueue(const TrainingParts& parts, const Records& records)
      : parts_(parts),
        records_(records),
        names_(parts.pictures.source->label_names()),
        alone_(comm::make_single_group()),
        status_(first_status(parts.config, parts.folder, parts.group.size())) {}

  /// Trains the labels one after the other, and returns whether a signal ended it before the last.
  bool work_off(const std::vector<std::int64_t>& labels);
  ExitCode first_failure() const { return first_failure_; }

 private:
  LabelState begin(std::int64_t label) const;
  std::int64_t images_of(std::int64_t label) const;
  void tell(std::size_t over, std::size_t all);
  void train_label(LabelState& state, double budget_seconds);
  void log_end(const LabelState& state, std::size_t left) const;
  void try_label(LabelState& state, double budget_seconds);
  TrainingResult train_once(const LabelState& state, double budget_seconds);
  const std::vector<std::int64_t>& records_of(std::int64_t label) const {
    return records_[static_cast<std::size_t>(label)];
  }

  const TrainingParts& parts_;
  const Records& records_;
  const std::vector<std::string> names_;
  const std::unique_ptr<comm::Group> alone_;
  wire::JobStatus status_;  ///< of this rank's labels
  bool stopped_ = false;
  ExitCode first_failure_ = ExitCode::kOk;
};

/// Returns how many images a label is trained on: its share of the run's.
std::int64_t LabelQueue::images_of(std::int64_t label) const {
  const double share = static_cast<double>(records_of(label).size()) /
                       static_cast<double>(parts_.pictures.source->record_count());
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(share *
                                   static_cast<double>(parts_.config.training.total_images())));
}

/// Publishes how far this rank is. It learns of the other ranks' labels at the end only.
void LabelQueue::tell(std::size_t over, std::size_t all) {
  if (parts_.server == nullptr) return;
  status_.state = wire::JobState::kRunning;
  status_.message =
      "rank 0: " + std::to_string(over) + " of its " + std::to_string(all) + " labels are over";
  parts_.server->set_status(status_);
}

LabelState LabelQueue::begin(std::int64_t label) const {
  const auto folder = label_folder(parts_.folder, label);
  if (const auto before = read_label_state(folder)) return *before;
  LabelState state;
  state.label = label;
  const auto place = static_cast<std::size_t>(label);
  if (place < names_.size()) state.name = names_[place];
  state.records = static_cast<std::int64_t>(records_of(label).size());
  state.total_images = images_of(label);
  return state;
}

TrainingResult LabelQueue::train_once(const LabelState& state, double budget_seconds) {
  RunConfig config = parts_.config;
  config.training.seed = label_seed(config.training.seed, state.label, state.attempts);
  // Half an image more, so that rounding takes none away.
  config.training.total_kimg = (static_cast<double>(state.total_images) + 0.5) / 1000;
  Pictures pictures{.source = std::make_unique<data::SubsetSource>(*parts_.pictures.source,
                                                                   records_of(state.label)),
                    .policy = parts_.pictures.policy,
                    .facts = parts_.pictures.facts};
  pictures.facts.record_count = state.records;
  return train({.config = config,
                .folder = RunFolder(label_folder(parts_.folder, state.label)),
                .pictures = pictures,
                .devices = parts_.devices,
                .group = *alone_,
                .stop = parts_.stop,
                .instruments = parts_.instruments,
                .budget_seconds = budget_seconds});
}

/// Trains a label once; an error is the label's, and ends no other label's training.
void LabelQueue::try_label(LabelState& state, double budget_seconds) {
  const auto folder = label_folder(parts_.folder, state.label);
  state.state = "training";
  write_label_state(folder, state);
  try {
    const TrainingResult result = train_once(state, budget_seconds);
    stopped_ = result.code == ExitCode::kStopped;
    state.images_seen = result.progress.images_seen;
    state.seconds = result.progress.trained_seconds;
    const bool is_done = state.images_seen >= state.total_images;
    if (!stopped_) state.state = is_done ? "done" : "out_of_budget";
    state.error.clear();
  } catch (const DeviceError&) {
    throw;  // the next label would have the same device
  } catch (const Error& error) {
    state.state = "failed";
    state.error = error.what();
    state.exit_code = static_cast<int>(error.code());
    log::error("A label failed",
               {{"label", state.label}, {"attempt", state.attempts}, {"reason", state.error}});
  }
  write_label_state(folder, state);
}

void LabelQueue::train_label(LabelState& state, double budget_seconds) {
  if (!state.is_trained()) state.attempts = 0;
  while (!state.is_trained() && !stopped_ && state.attempts < parts_.config.scheme.attempts) {
    ++state.attempts;
    try_label(state, budget_seconds);
  }
  if (state.state == "failed" && first_failure_ == ExitCode::kOk) {
    first_failure_ = static_cast<ExitCode>(state.exit_code);
  }
}

/// Leaves the label's log for that of the run.
void LabelQueue::log_end(const LabelState& state, std::size_t left) const {
  log::set_file(parts_.group.rank() == 0 ? parts_.folder.log() : std::filesystem::path());
  log::info("Label is over", {{"label", state.label},
                              {"name", state.name},
                              {"state", state.state},
                              {"kimg", static_cast<double>(state.images_seen) / 1000},
                              {"seconds", state.seconds},
                              {"left_to_this_rank", left}});
}

bool LabelQueue::work_off(const std::vector<std::int64_t>& labels) {
  std::int64_t records_left = 0;
  double seconds_left = parts_.budget_seconds;
  status_.total_images = 0;
  for (const auto label : labels) {
    records_left += static_cast<std::int64_t>(records_of(label).size());
    status_.total_images += images_of(label);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (stopped_ || parts_.stop.received()) return true;
    tell(i, labels.size());
    LabelState state = begin(labels[i]);
    const bool was_trained = state.is_trained();
    train_label(state, seconds_left * static_cast<double>(state.records) /
                           static_cast<double>(records_left));
    if (!was_trained) log_end(state, labels.size() - i - 1);
    if (seconds_left > 0) seconds_left = std::max(seconds_left - state.seconds, kNoTime);
    records_left -= state.records;
    status_.images_seen += state.images_seen;
  }
  tell(labels.size(), labels.size());
  return stopped_;
}

/// Publishes how all labels ended.
void tell_end(const TrainingParts& parts, const std::vector<LabelState>& states) {
  if (parts.server == nullptr) return;
  wire::JobStatus status = first_status(parts.config, parts.folder, parts.group.size());
  status.state = wire::JobState::kDone;
  status.total_images = 0;
  for (const LabelState& state : states) {
    status.images_seen += state.images_seen;
    status.total_images += state.total_images;
  }
  parts.server->set_status(status);
  leave_behind(status);
}

/// Reads all labels' states, writes labels.json and the bundle of those that have a generator.
void gather(const TrainingParts& parts, const std::vector<std::int64_t>& counts) {
  nlohmann::json table = nlohmann::json::array();
  std::vector<LabelState> states;
  for (std::size_t label = 0; label < counts.size(); ++label) {
    const auto folder = label_folder(parts.folder, static_cast<std::int64_t>(label));
    const auto state = read_label_state(folder);
    if (!state) continue;
    table.push_back(*state);
    states.push_back(*state);
  }
  report::write_file_atomically(parts.folder.labels_table(), table.dump(1) + "\n");
  const auto trained = std::ranges::count_if(states, &LabelState::is_trained);
  if (trained > 0) write_label_bundle(parts.folder, parts.config, states, counts);
  tell_end(parts, states);
  log::info("All labels are over", {{"labels", states.size()},
                                    {"trained", trained},
                                    {"failed", states.size() - static_cast<std::size_t>(trained)},
                                    {"bundle", parts.folder.bundle()}});
}

/// Waits for what rank 0 writes: a rank that ends with a failed label's exit code ends all others.
void wait_for_rank_0(comm::Group& group) { group.max(at::zeros({1})); }

/// Measures the bundle, all ranks together.
void evaluate_bundle(const TrainingParts& parts) {
  if (!std::filesystem::exists(parts.folder.bundle())) return;
  const auto began = std::chrono::steady_clock::now();
  const auto trained = load_newest_generator(parts.folder.root());
  trained.generator->to(parts.devices.generator);
  const auto measured = parts.evaluator->evaluate(*trained.generator, parts.config.training.seed);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  if (parts.group.rank() != 0) return;
  const MetricsLine line{trained.images_seen, seconds.count(), measured};
  log::info("Evaluated the generators", {{"metrics", to_json(line).dump()}});
  append_if_newest(parts.folder.metrics(), line);
  if (const auto fid = first_value(measured, "fid")) parts.instruments.fid.set(*fid);
  if (const auto score = first_value(measured, "is")) parts.instruments.inception_score.set(*score);
}

}  // namespace

std::filesystem::path label_folder(const RunFolder& run, std::int64_t label) {
  char name[32];
  std::snprintf(name, sizeof name, "label-%04lld", static_cast<long long>(label));
  return run.root() / "labels" / name;
}

void try_per_label(const RunConfig& config, const data::Source& source, int rank_count) {
  const auto counts = counts_of(records_by_label(source));
  require_trainable(config, counts);
  plan_labels(counts, rank_count);
}

ExitCode train_per_label(const TrainingParts& parts) {
  const Records records = records_by_label(*parts.pictures.source);
  const auto counts = counts_of(records);
  require_trainable(parts.config, counts);
  const auto plan = plan_labels(counts, parts.group.size());
  if (parts.group.rank() == 0) {
    parts.folder.create();
    parts.folder.write_config(parts.config.resolved);
  }
  LabelQueue queue(parts, records);
  const bool stopped = queue.work_off(plan[static_cast<std::size_t>(parts.group.rank())]);
  // The ranks meet here for the first time.
  const auto ends =
      at::tensor({std::int64_t{stopped}, std::int64_t{static_cast<int>(queue.first_failure())}});
  parts.group.max(ends);
  const auto* end = ends.const_data_ptr<std::int64_t>();
  if (end[0] != 0) return ExitCode::kStopped;
  if (parts.group.rank() == 0) gather(parts, counts);
  wait_for_rank_0(parts.group);
  if (parts.evaluator != nullptr) {
    evaluate_bundle(parts);
    wait_for_rank_0(parts.group);
  }
  return static_cast<ExitCode>(end[1]);
}

}  // namespace ganscale::training
