#pragma once

#include <filesystem>
#include <vector>

#include "models/label_bundle.h"
#include "training/generators/label_state.h"
#include "training/run/run_config.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// Writes the newest generators of all trained labels of a run to bundle.safetensors in the run
/// folder. The file is self-contained: tensors label_<n>.<parameter>, and in its metadata the
/// configuration, the number of labels, their names, p(y) (0 for a label without a generator) and the
/// total number of images seen.
///
/// records_of_label: of the dataset.
/// Throws: DataError if a label has no valid checkpoint or the file cannot be written.
void write_label_bundle(const RunFolder& run, const RunConfig& config,
                        const std::vector<LabelState>& states,
                        const std::vector<std::int64_t>& records_of_label);

/// The contents of a bundle file.
struct LabelBundleFile {
  std::shared_ptr<models::LabelBundle> generator;  ///< on the CPU, computes in float32
  RunConfig config;
  std::vector<double> label_probabilities;
  std::vector<std::string> label_names;  ///< empty if the data have none
  std::int64_t images_seen = 0;
};

/// Throws DataError if the file is not a bundle.
LabelBundleFile read_label_bundle(const std::filesystem::path& file);

}  // namespace ganscale::training
