#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ganscale::data {

/// The labels of a data set.
struct LabelSet {
  std::vector<std::int64_t> values;  ///< one a record, in [0, count); empty without labels
  std::int64_t count = 0;            ///< number of different labels; 0 without labels
  std::vector<std::string> names;    ///< one a label, or empty
};

/// Reads a NumPy file of labels: one-hot rows [N, count] or integers [N]; of shape [N, 0] it means
/// no labels. The names, if any, are in the JSON list beside it (`x.labels` →
/// `x.label-names.json`).
///
/// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
/// Throws: DataError with the file, and the record whose row is not one-hot or negative.
LabelSet read_label_file(const std::filesystem::path& file);

/// Returns where the names of a label file's labels are.
std::filesystem::path label_names_file(const std::filesystem::path& label_file);

/// Writes one-hot float32 rows, as StyleGAN's dataset tool does, and the names beside them.
void write_label_file(const std::filesystem::path& file, const LabelSet& labels);

}  // namespace ganscale::data
