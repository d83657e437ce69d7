#include "data/sources/folder_source.h"

#include <algorithm>

#include "base/error.h"
#include "data/formats/file_bytes.h"
#include "data/sources/image_files.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

class FolderSource : public ImageFiles {
 public:
  explicit FolderSource(const fs::path& folder) : folder_(folder) {
    const auto options = fs::directory_options::follow_directory_symlink;
    for (const auto& entry : fs::recursive_directory_iterator(folder, options)) {
      const std::string name = entry.path().lexically_relative(folder).generic_string();
      if (!takes(name)) continue;
      if (entry.is_symlink() && !entry.exists()) {
        throw DataError("link to a file that does not exist: " + entry.path().string());
      }
      if (entry.is_regular_file()) names_.push_back(name);
    }
    std::ranges::sort(names_);
    const fs::path json = folder / kDatasetJson;
    try {
      labels_ = fs::exists(json) ? labels_by_dataset_json(names_, read_file(json))
                                 : labels_by_folder(names_);
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + folder.string());
    }
  }

  void read(std::int64_t index, Record& record) const override {
    const FileBytes file(folder_ / names_[index]);
    // Copied in case the image is gzipped, which is unlikely: it would be freed with `file`.
    record.bytes = file.read(0, file.size_bytes(), record.buffer);
    if (file.unpacked()) record.buffer.assign(record.bytes.begin(), record.bytes.end());
    record.bytes = record.buffer;
    finish(index, record);
  }

  std::string describe(std::int64_t index) const override {
    return (folder_ / names_[index]).string() + ", record " + std::to_string(index) + ", offset 0";
  }

 private:
  fs::path folder_;
};

}  // namespace

std::unique_ptr<Source> open_folder(const fs::path& folder) {
  auto source = std::make_unique<FolderSource>(folder);
  const bool has_images = source->record_count() > 0 || !source->unread_images().empty();
  return has_images ? std::move(source) : nullptr;
}

}  // namespace ganscale::data
