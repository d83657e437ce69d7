#pragma once

#include <filesystem>
#include <vector>

#include "models/label_bundle.h"
#include "training/generators/label_state.h"
#include "training/run/run_config.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// Writes the newest generators of all trained labels of a run as one file, bundle.safetensors of
/// the run folder, which needs nothing beside it: tensors label_<n>.<parameter>, and in its
/// metadata the configuration, the number of labels, p(y) from the records of each (0 for a label
/// without a generator) and the images that all labels have seen.
///
/// records_of_label: of the data set.
/// Throws: DataError where a label has no valid checkpoint or the file cannot be written.
void write_label_bundle(const RunFolder& run, const RunConfig& config,
                        const std::vector<LabelState>& states,
                        const std::vector<std::int64_t>& records_of_label);

/// What a bundle file holds.
struct LabelBundleFile {
  std::shared_ptr<models::LabelBundle> generator;  ///< on the CPU
  RunConfig config;
  std::vector<double> label_probabilities;
  std::int64_t images_seen = 0;
};

/// Throws DataError for a file that is no bundle.
LabelBundleFile read_label_bundle(const std::filesystem::path& file);

}  // namespace ganscale::training
