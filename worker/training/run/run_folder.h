#pragma once

#include <filesystem>
#include <string>

#include "checkpoint/checkpoint_config.h"
#include "checkpoint/run_files.h"
#include "files/folder_lock.h"

namespace ganscale::training {

/// The folder of a run, and the paths of its files (see docs/operations.md).
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path root)
      : root_(std::move(root)), lock_(root_ / checkpoint::run_files::kLock) {}
  /// Returns the folder of a part of this run, which is under the same lock.
  RunFolder part(std::filesystem::path root) const;

  /// Creates the folder, which a power failure then leaves, and its subfolders. Throws ConfigError
  /// if it can't be written, OutputError if its entry can't be synced.
  void create() const;
  /// Throws ConfigError if create() could not write, and creates nothing.
  void require_writable() const;
  /// Keeps other trainings out of the run for as long as the lock lives. Throws as FolderLock does.
  files::FolderLock take_lock() const;
  /// Throws PeerLost if another attempt of the operator has taken over: see require_attempt().
  void require_lock() const;
  /// Writes config.yaml unless it is unchanged; warns of keys that differ from the existing one. If it
  /// can't be written, throws OutputError or warns, depending on checkpoint.on_error.
  void write_config(const std::string& resolved, checkpoint::OnError on_error) const;
  /// Returns the keys that differ from config.yaml and their values, of many the first ones:
  /// "training.batch: 32 -> 64". Empty without differences, and without that file.
  std::string config_changes(const std::string& resolved) const;

  const std::filesystem::path& root() const { return root_; }
  /// Returns the name of the folder, also if its path ends with a slash or is ".".
  std::string name() const;
  std::filesystem::path config() const { return root_ / checkpoint::run_files::kConfig; }
  /// A line for each start: see describe_start().
  std::filesystem::path provenance() const { return root_ / checkpoint::run_files::kProvenance; }
  std::filesystem::path log() const { return root_ / checkpoint::run_files::kLog; }
  std::filesystem::path stats() const { return root_ / checkpoint::run_files::kStats; }
  std::filesystem::path metrics() const { return root_ / checkpoint::run_files::kMetrics; }
  /// Which run of an MLflow server this is, and what the server has got.
  std::filesystem::path mlflow() const { return root_ / checkpoint::run_files::kMlflow; }
  /// What `ganscale report` writes.
  std::filesystem::path report() const { return root_ / checkpoint::run_files::kReport; }
  /// What the time of the profiled steps was spent on, and their trace.
  std::filesystem::path profile() const { return root_ / checkpoint::run_files::kProfile; }
  std::filesystem::path trace() const { return root_ / checkpoint::run_files::kTrace; }
  /// Scheme per_label: the state of each label, and all generators as one.
  std::filesystem::path labels_table() const { return root_ / checkpoint::run_files::kLabelsTable; }
  std::filesystem::path bundle() const { return root_ / checkpoint::run_files::kBundle; }
  std::filesystem::path samples() const { return root_ / checkpoint::run_files::kSamples; }
  std::filesystem::path events() const { return root_ / checkpoint::run_files::kEvents; }
  std::filesystem::path reals() const { return samples() / checkpoint::run_files::kReals; }
  /// The grid of fakes after `images_seen` images; names sort by time.
  std::filesystem::path fakes(std::int64_t images_seen) const;

 private:
  std::filesystem::path root_;
  std::filesystem::path lock_;
};

}  // namespace ganscale::training
