#pragma once

#include <cstdint>
#include <vector>

#include "training/loop/scheme.h"

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
/// There is no communication until all ranks have finished their labels. After a barrier without a
/// timeout, rank 0 writes labels.json and the bundle (see label_bundle_file.h) before any rank
/// returns.
///
/// context.group: all ranks of the run.
/// Returns: kStopped after a signal, the exit code of a failed label, otherwise kOk.
/// Throws:  ConfigError: no labels, more ranks than labels, labels with fewer records than a batch.
ExitCode train_per_label(const TrainingContext& context);

/// Returns the scheme that does so.
Scheme per_label_scheme();

}  // namespace ganscale::training
