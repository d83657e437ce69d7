#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "training/loop/training_context.h"
#include "training/run/scheme.h"

namespace ganscale::training {

/// What the scheme reads of its section.
struct PerLabelOptions {
  int attempts = 2;                  ///< how often a label that fails is tried
  std::vector<std::int64_t> labels;  ///< that are trained; empty: all
};

/// Trains a generator and a discriminator for each label, on the records of that label only, and
/// combines the generators into a conditional one (Lupo Pasini et al., "Distributed DC-CGAN" and
/// "Stable parallel W-CGAN").
///
/// plan_labels() assigns labels to ranks. A rank trains its labels one after the other, each in the
/// folder labels/label-NNNN of the run, with its own seed, checkpoints and statistics.
/// training.total_kimg, and with a budget the time of a rank, is divided among the labels by number
/// of records. A restart skips finished labels. A label that fails is tried scheme.attempts times
/// and then reported, without affecting the others.
///
/// Ranks do not communicate until all have finished their labels, but through the run folder they
/// notice a lost rank, and a signal to one stops all (FolderBarrier). After that, rank 0 writes
/// labels.json and the bundle (see label_bundle_file.h) before any rank returns.
class PerLabelScheme : public Scheme {
 public:
  explicit PerLabelScheme(PerLabelOptions options) : options_(std::move(options)) {}

  bool makes_labels() const override { return true; }
  std::vector<std::int64_t> made_labels() const override { return options_.labels; }
  bool takes_commands() const override { return false; }
  std::vector<int> ranks_of_networks(int world_size) const override;
  void check_sections(const config::Section& root, const RunConfig& config) const override;
  /// If scheme.labels names them, the labels are known before the data.
  void check_ranks(const RunConfig& config, int world_size) const override;
  void check_data(const RunConfig& config, const data::Source& source,
                  int world_size) const override;
  void try_run(const TrainingContext& context) const override;
  /// context.group: all ranks of the run.
  /// Returns: kStopped after a signal, the exit code of a failed label, otherwise kOk.
  /// Throws:  ConfigError: no labels, more ranks than labels, labels with fewer records than a
  ///          batch.
  ExitCode run(const TrainingContext& context) const override;

 private:
  PerLabelOptions options_;
};

/// Returns the line of the scheme.
SchemeLine per_label_scheme();

}  // namespace ganscale::training
