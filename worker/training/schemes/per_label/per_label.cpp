#include "training/schemes/per_label/per_label.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <set>

#include "base/joined.h"
#include "base/log.h"
#include "comm/collectives/numbers.h"
#include "files/atomic_file.h"
#include "training/generators/label_bundle_file.h"
#include "training/generators/trained_generator.h"
#include "training/loop/report_evaluation.h"
#include "training/run/job_status.h"
#include "training/run/section_checks.h"
#include "training/schemes/per_label/folder_barrier.h"
#include "training/schemes/per_label/label_plan.h"
#include "training/schemes/per_label/label_queue.h"
#include "wire/job_status.h"
#include "wire/scheme.h"

namespace ganscale::training {
namespace {

/// Returns the records of the labels that are wanted; the others have none.
LabelRecords records_by_label(const data::Source& source, const std::vector<std::int64_t>& wanted) {
  if (source.label_count() == 0) return {};
  for (const std::int64_t label : wanted) {
    if (label >= 0 && label < source.label_count()) continue;
    throw ConfigError("scheme.labels: the dataset has no such label: " + std::to_string(label) +
                      " of " + std::to_string(source.label_count()));
  }
  LabelRecords records(static_cast<std::size_t>(source.label_count()));
  for (std::int64_t i = 0; i < source.record_count(); ++i) {
    const std::int64_t label = source.label(i);
    const bool is_wanted = wanted.empty() || std::ranges::count(wanted, label) > 0;
    if (is_wanted) records[static_cast<std::size_t>(label)].push_back(i);
  }
  return records;
}

std::vector<std::int64_t> counts_of(const LabelRecords& records) {
  std::vector<std::int64_t> counts;
  for (const auto& of_label : records) counts.push_back(static_cast<std::int64_t>(of_label.size()));
  return counts;
}

void require_trainable(const std::vector<std::int64_t>& counts, const std::string& data_path,
                       std::int64_t batch) {
  if (counts.empty()) {
    throw ConfigError("scheme per_label needs labels, but the dataset has none: " + data_path);
  }
  std::string small;
  for (std::size_t label = 0; label < counts.size(); ++label) {
    if (counts[label] == 0 || counts[label] >= batch) continue;
    small.append(" ").append(std::to_string(label)).append(" (");
    small.append(std::to_string(counts[label])).append(")");
  }
  if (!small.empty()) {
    throw ConfigError("labels have fewer records than training.batch, " + std::to_string(batch) +
                      "; lower it, or leave these labels out of the dataset:" + small);
  }
}

/// Warns on rank 0 of settings that do not fit the label with the fewest records.
void warn_of_smallest_label(const TrainingContext& context,
                            const std::vector<std::int64_t>& counts) {
  if (context.group.rank() != 0) return;
  const auto records_or_most = [](std::int64_t records) {
    return records > 0 ? records : std::numeric_limits<std::int64_t>::max();
  };
  const auto smallest = std::ranges::min_element(counts, {}, records_or_most);
  const auto images = images_of_label(*smallest, context.dataset.source->record_count(),
                                      context.config.training.total_images());
  for (const auto& warning : label_warnings(context.config, smallest - counts.begin(),
                                            static_cast<double>(images) / 1000))
    log::warning(warning);
}

/// Returns what the ranks took for their labels, as assigned to them. The slowest counts.
wire::Measurement measure(const std::vector<LabelState>& states,
                          const std::vector<std::vector<std::int64_t>>& plan) {
  std::vector<double> seconds(plan.size(), 0.0);
  wire::Measurement measured;
  for (const LabelState& state : states) {
    measured.images += state.images_seen;
    for (std::size_t rank = 0; rank < plan.size(); ++rank) {
      if (std::ranges::count(plan[rank], state.label) > 0) seconds[rank] += state.spent_seconds;
    }
  }
  measured.seconds = std::ranges::max(seconds);
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  measured.straggler_ratio = mean > 0 ? measured.seconds / mean : 1;
  return measured;
}

/// Returns what the labels failed of, if any did.
std::string failure_of(const std::vector<LabelState>& states, const RunFolder& folder) {
  std::vector<std::string> failed;
  for (const LabelState& state : states) {
    if (!state.is_trained()) failed.push_back(std::to_string(state.label));
  }
  if (failed.empty()) return "";
  return counted(failed.size(), "label") + " failed, as " + folder.labels_table().string() +
         " tells: " + joined(failed);
}

/// Returns the final status of all labels.
wire::JobStatus end_status(const TrainingContext& context, const std::vector<LabelState>& states,
                           const wire::Measurement& measured) {
  wire::JobStatus status =
      first_status(context.config, context.folder, context.group.size(), context.preflight);
  status.message = failure_of(states, context.folder);
  status.state = status.message.empty() ? wire::JobState::kDone : wire::JobState::kFailed;
  status.total_images = 0;
  for (const LabelState& state : states) {
    status.images_seen += state.images_seen;
    status.total_images += state.total_images;
  }
  status.measured = measured;
  return status;
}

/// Gathers the states of all labels, writes labels.json and the bundle, and returns the final status.
wire::JobStatus gather(const TrainingContext& context, const std::vector<std::int64_t>& counts) {
  nlohmann::json table = nlohmann::json::array();
  std::vector<LabelState> states;
  for (std::size_t label = 0; label < counts.size(); ++label) {
    if (counts[label] == 0) continue;
    const auto folder = label_folder(context.folder, static_cast<std::int64_t>(label));
    const auto state = read_label_state(folder);
    if (!state) {
      throw DataError("the state of a label is missing; do all nodes share the run folder? " +
                      folder.string());
    }
    table.push_back(*state);
    states.push_back(*state);
  }
  files::write_file_atomically(context.folder.labels_table(), table.dump(1) + "\n");
  const auto trained = std::ranges::count_if(states, &LabelState::is_trained);
  if (trained > 0) {
    write_label_bundle(context.folder, context.config, states, counts);
  } else {
    std::filesystem::remove(context.folder.bundle());  // of an earlier start
  }
  log::info("Finished all labels", {{"labels", states.size()},
                                    {"trained", trained},
                                    {"failed", states.size() - static_cast<std::size_t>(trained)},
                                    {"bundle", context.folder.bundle()}});
  return end_status(context, states, measure(states, plan_labels(counts, context.group.size())));
}

/// Evaluates the bundle on all ranks. status: of rank 0, gets the result.
void evaluate_bundle(const TrainingContext& context, wire::JobStatus& status) {
  if (!std::filesystem::exists(context.folder.bundle())) return;
  const auto start = std::chrono::steady_clock::now();
  const auto trained = load_newest_generator(context.folder.root());
  trained.generator->to(context.devices.generator);
  const auto measured =
      context.evaluator->evaluate(*trained.generator, context.config.training.seed);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (context.group.rank() != 0) return;
  report_evaluation({trained.images_seen, seconds.count(), measured}, context, status);
}

void publish_end(const TrainingContext& context, const wire::JobStatus& status) {
  if (context.server == nullptr) return;
  context.server->set_status(status);
  print_last_status(status);
}

std::shared_ptr<const Scheme> read_per_label(config::Section& in) {
  PerLabelOptions c;
  c.attempts = in.get("attempts", c.attempts, "per_label: maximum number of attempts per label");
  in.require(c.attempts >= 1, "attempts", "must be positive");
  c.labels = in.get("labels", c.labels, "per_label: labels to train; empty: all");
  return std::make_shared<PerLabelScheme>(std::move(c));
}

}  // namespace

std::vector<int> PerLabelScheme::ranks_of_networks(int /*world_size*/) const { return {1}; }

void PerLabelScheme::check_sections(const config::Section& root, const RunConfig& config) const {
  root.require(!models::takes_labels(config.model), "model.name",
               "scheme per_label gives each label a generator of its own; use an unconditional "
               "model such as dcgan: " +
                   config.model.name);
  root.require(config.data.labels != data::Labels::kIgnore, "data.labels",
               "scheme per_label needs labels: ignore");
  root.require(config.generator.ema.others.empty(), "generator.other_ema_kimg",
               "scheme per_label keeps one average of each label's generator: leave it out");
  const std::string why =
      "scheme per_label evaluates all labels together at the end, and keeps each label's newest "
      "checkpoints: leave it out";
  root.require(
      config.measure.steps == 0, "measure.steps",
      "scheme per_label has no steps in common and measures the whole training: leave it out");
  root.require(config.evaluate.every_kimg == 0, "evaluate.every_kimg", why);
  root.require(config.checkpoint.keep_best.empty(), "checkpoint.keep_best", why);
}

void PerLabelScheme::check_ranks(const RunConfig& /*config*/, int world_size) const {
  if (options_.labels.empty()) return;
  const std::set<std::int64_t> labels(options_.labels.begin(), options_.labels.end());
  plan_labels(std::vector<std::int64_t>(labels.size(), 1), world_size);
}

void PerLabelScheme::check_data(const RunConfig& config, const data::Source& source,
                                int world_size) const {
  const auto counts = counts_of(records_by_label(source, options_.labels));
  require_trainable(counts, config.data.path, config.training.batch);
  plan_labels(counts, world_size);
}

void PerLabelScheme::try_run(const TrainingContext& context) const {
  const LabelRecords records = records_by_label(*context.dataset.source, options_.labels);
  const auto counts = counts_of(records);
  const auto plan = plan_labels(counts, context.group.size());
  warn_of_smallest_label(context, counts);
  const auto& labels = plan[static_cast<std::size_t>(context.group.rank())];
  LabelQueue(context, records, options_.attempts).try_first(labels);
}

ExitCode PerLabelScheme::run(const TrainingContext& context) const {
  const LabelRecords records = records_by_label(*context.dataset.source, options_.labels);
  const auto counts = counts_of(records);
  require_trainable(counts, context.config.data.path, context.config.training.batch);
  const auto plan = plan_labels(counts, context.group.size());
  if (context.group.rank() == 0) {
    context.folder.create();
    context.folder.write_config(context.config.resolved, context.config.checkpoint.on_error);
  }
  warn_of_smallest_label(context, counts);
  FolderBarrier barrier(context.folder.root(), context.group.rank(), context.group.size(),
                        context.config.comm.timeout());
  std::int64_t start = std::chrono::system_clock::now().time_since_epoch().count();
  comm::all_reduce_max(context.group, {&start});  // every rank has its barrier
  barrier.share(context.stop, start);
  LabelQueue queue(context, records, options_.attempts);
  std::int64_t stopped = queue.train_labels(plan[static_cast<std::size_t>(context.group.rank())]);
  barrier.wait();  // the slowest may take hours longer than the others
  auto failure = static_cast<std::int64_t>(queue.first_failure());
  comm::all_reduce_max(context.group, {&stopped, &failure});
  if (stopped != 0) return ExitCode::kStopped;
  wire::JobStatus status;
  if (context.group.rank() == 0) status = gather(context, counts);
  if (context.evaluator != nullptr) {
    barrier.wait();  // the bundle is written
    evaluate_bundle(context, status);
  }
  publish_end(context, status);
  barrier.wait();  // a rank that ends with a failed label's exit code ends all others
  return static_cast<ExitCode>(failure);
}

SchemeLine per_label_scheme() {
  return {.name = std::string(wire::kPerLabel.name),
          .description = "each label has its own pair, trained by one rank",
          .read = read_per_label};
}

}  // namespace ganscale::training
