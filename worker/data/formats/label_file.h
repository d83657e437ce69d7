#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ganscale::data {

/// Labels of a dataset are below this number.
inline constexpr std::int64_t kMostLabels = 1 << 24;

/// The labels of a dataset.
struct LabelSet {
  std::vector<std::int64_t> values;  ///< one per record, in [0, count); empty without labels
  std::int64_t count = 0;            ///< number of different labels; 0 without labels
  std::vector<std::string> names;    ///< one per label, or empty
};

/// Reads labels from a NumPy file: one-hot rows [N, count] or integers [N]; shape [N, 0] means no
/// labels. The names, if any, are in a JSON list in the same folder (`x.labels` →
/// `x.label-names.json`).
///
/// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
/// Throws: DataError with the file and the record whose row is not one-hot or negative.
LabelSet read_label_file(const std::filesystem::path& file);

/// Returns the path of the label names for a label file.
std::filesystem::path label_names_file(const std::filesystem::path& label_file);

/// Writes one-hot float32 rows, as StyleGAN's dataset tool does, and the file with the names.
///
/// Throws: DataError with file and the system's reason (disk full, ...).
void write_label_file(const std::filesystem::path& file, const LabelSet& labels);

}  // namespace ganscale::data
