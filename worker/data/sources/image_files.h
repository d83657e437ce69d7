#pragma once

#include <cstdint>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "data/formats/labeled_source.h"

namespace ganscale::data {

/// The labels of a folder or an archive, see labels_by_dataset_json().
inline constexpr char kDatasetJson[] = "dataset.json";

/// Returns whether a file name has the extension of an image with a codec (data/image/codecs.cpp),
/// but is not hidden, as is_hidden() says.
bool has_image_extension(const std::string& name);

/// Returns the extension of an image in a format that nothing here reads, such as ".avif"; empty
/// for all other files.
std::string unread_extension(const std::string& name);

/// Returns numbers of files by extension as text: "12 .avif, 3 .heic".
std::string counts_text(const std::map<std::string, std::int64_t>& counts);

/// Labels images by class folders: below the common parent folder, the first folder is the label,
/// in alphabetical order. If all images are in the same folder, there are no labels.
///
/// names:  relative paths with `/`.
/// Throws: DataError with an image that is outside of the class folders.
LabelSet labels_by_folder(const std::vector<std::string>& names);

/// Labels images by the `dataset.json` of stylegan2-ada's dataset tool:
/// `{"labels": [["00000/img00000000.png", 6], ...]}`; null means no labels. Without
/// "labels", by class folders as labels_by_folder().
///
/// json_name: to whose folder the names in it are relative.
/// Throws:    DataError with the reason only: damaged, an image without a label, a label that is
///            not a non-negative integer; as labels_by_folder().
LabelSet labels_by_dataset_json(const std::vector<std::string>& names,
                                std::span<const std::uint8_t> json,
                                const std::string& json_name = kDatasetJson);

/// A dataset of named image files.
class ImageFiles : public LabeledSource {
 public:
  std::int64_t record_count() const override { return static_cast<std::int64_t>(names_.size()); }
  /// Returns how many images it leaves out because nothing here reads their format, as
  /// counts_text(); empty without any.
  std::string unread_images() const { return counts_text(unread_); }
  std::int64_t unread_count() const;
  /// Returns the name of the first image that it leaves out because it is hidden, as is_hidden()
  /// says; empty without any.
  const std::string& hidden_image() const { return hidden_image_; }

 protected:
  /// Returns whether a file is an image, and notes those that are left out.
  bool takes(const std::string& name);
  /// Returns the outermost dataset.json in a folder that all images are in, of the files of an
  /// archive, which have a `name`; null without one. `zip -r` and `tar` put a dataset's folder into
  /// the archive.
  template <std::ranges::range Files>
  const std::ranges::range_value_t<Files>* dataset_json(const Files& files) const {
    const std::ranges::range_value_t<Files>* found = nullptr;
    for (const auto& file : files) {
      const bool is_outermost = found == nullptr || file.name.size() < found->name.size();
      if (is_outermost && may_label_all(file.name)) found = &file;
    }
    return found;
  }
  /// Throws DataError, which names the record, if its file is larger than a record may be: reading
  /// it would take that much memory.
  void require_size(std::int64_t index, std::int64_t size_bytes) const;
  /// Sets everything but the bytes of a record.
  void finish(std::int64_t index, Record& record) const;

  std::vector<std::string> names_;

 private:
  /// Returns whether a file is a dataset.json in a folder that all images are in.
  bool may_label_all(const std::string& file) const;

  std::map<std::string, std::int64_t> unread_;  ///< by extension
  std::string hidden_image_;
};

}  // namespace ganscale::data
