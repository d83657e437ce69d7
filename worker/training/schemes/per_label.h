#pragma once

#include "training/generators/label_state.h"
#include "training/schemes/train_run.h"

namespace ganscale::training {

/// Trains a generator and a discriminator for each label, each on its label's records alone, and
/// makes one conditional generator of them (Lupo Pasini et al., "Distributed DC-CGAN" and "Stable
/// parallel W-CGAN").
///
/// The labels are dealt to the ranks by plan_labels(); a rank trains its labels one after the
/// other, each in the folder labels/label-NNNN of the run, with its own seed, checkpoints and
/// statistics. training.total_kimg is that of all labels together: each has the share of its
/// records, and with a budget the same share of its rank's time. Labels that are over are passed
/// over after a restart. A label that fails is tried scheme.attempts times and then reported; no
/// other label waits for it.
///
/// From the first label to the last no rank calls the group. Then all meet, however long the
/// slowest takes, and rank 0 writes
/// labels.json and the bundle (see label_bundle_file.h) before any of them returns.
///
/// parts.group: all ranks of the run.
/// Returns: kStopped after a signal, the exit code of a label that failed, else kOk.
/// Throws:  ConfigError: a conditional model, no labels, more ranks than labels, labels with fewer
///          records than a batch.
ExitCode train_per_label(const TrainingParts& parts);

/// Throws what train_per_label() would throw before it trains.
void try_per_label(const RunConfig& config, const data::Source& source, int rank_count);

}  // namespace ganscale::training
