#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/formats/label_file.h"
#include "data/sources/source.h"

namespace ganscale::data {

/// Tells by the ending of its name whether a file is taken for an image (.png, .jpg, .jpeg);
/// hidden files (.x) and macOS's `__MACOSX` are not.
bool has_image_extension(const std::string& name);

/// Returns PNG or JPEG by the first bytes. Throws DataError with only the reason for another.
Encoding encoding_of(std::span<const std::uint8_t> bytes);

/// Labels images by the folders that they lie in: below the folder that is common to all, the
/// first folder's name is the label, in alphabetical order. Images that all lie in the same
/// folder have no labels.
///
/// names:  relative paths with `/`.
/// Throws: DataError naming an image that lies outside of the class folders.
LabelSet labels_by_folder(const std::vector<std::string>& names);

/// Labels images by the `dataset.json` of stylegan2-ada's dataset tool:
/// `{"labels": [["00000/img00000000.png", 6], ...]}`; null means no labels.
///
/// Throws: DataError with only the reason: damaged, an image without label, a label that is not an
///         integer from 0 on.
LabelSet labels_by_dataset_json(const std::vector<std::string>& names,
                                std::span<const std::uint8_t> json);

/// A data set whose records are named PNG and JPEG files.
class ImageFiles : public Source {
 public:
  std::int64_t record_count() const override { return static_cast<std::int64_t>(names_.size()); }
  std::int64_t label_count() const override { return labels_.count; }
  std::vector<std::string> label_names() const override { return labels_.names; }
  std::int64_t label(std::int64_t index) const override {
    return labels_.values.empty() ? -1 : labels_.values[index];
  }

 protected:
  /// Sets what a record is besides its bytes. Throws DataError with only the reason.
  void finish(std::int64_t index, Record& record) const;

  std::vector<std::string> names_;
  LabelSet labels_;
};

}  // namespace ganscale::data
