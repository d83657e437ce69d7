#pragma once

#include <memory>
#include <string>
#include <vector>

#include "training/generators/label_state.h"
#include "training/schemes/synchronous/train_run.h"
#include "wire/job_status.h"

namespace ganscale::training {

/// The records of each label.
using LabelRecords = std::vector<std::vector<std::int64_t>>;

/// One rank's part of scheme per_label: trains its labels one after the other, without
/// communication.
class LabelQueue {
 public:
  /// attempts: how often a label that fails is tried. Context and records are borrowed.
  LabelQueue(const TrainingContext& context, const LabelRecords& records, int attempts);

  /// Trains the labels. Returns whether a signal stopped it before the last one was over, with all
  /// attempts if it fails.
  ///
  /// All time of a label's attempts, including setup and checkpoints, is charged to the budget; the
  /// rest is divided among the remaining labels by number of records. A label that fails is
  /// retried, then skipped. After a restart, finished labels stay finished unless there is more to
  /// do now.
  /// Throws: DeviceError, since the next label would use the same device; PeerLost if another
  ///         attempt has taken the run over.
  bool train_labels(const std::vector<std::int64_t>& labels);
  /// Does what the training of the first label would do before its first step, and writes nothing.
  void try_first(const std::vector<std::int64_t>& labels) const;
  /// Returns the exit code of the first label that failed.
  ExitCode first_failure() const { return first_failure_; }

 private:
  LabelState begin(std::int64_t label) const;
  std::int64_t images_of(std::int64_t label) const;
  void publish_progress(std::size_t over, std::size_t all);
  void train_label(LabelState& state, double budget_seconds);
  void log_end(const LabelState& state, std::size_t left) const;
  void try_label(LabelState& state, double budget_seconds);
  void write(const LabelState& state) const;
  template <class Use>
  auto with_context(const LabelState& state, double budget_seconds, const Use& use) const;
  const std::vector<std::int64_t>& records_of(std::int64_t label) const {
    return records_[static_cast<std::size_t>(label)];
  }

  const TrainingContext& context_;
  const LabelRecords& records_;
  const std::vector<std::string> names_;
  const int attempts_;
  const std::unique_ptr<comm::Group> single_group_;
  wire::JobStatus status_;  ///< of this rank's labels
  bool stopped_ = false;
  ExitCode first_failure_ = ExitCode::kOk;
};

}  // namespace ganscale::training
