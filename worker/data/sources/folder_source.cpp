#include "data/sources/folder_source.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/log.h"
#include "data/formats/file_bytes.h"
#include "data/sources/image_files.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

/// Returns whether a name in a folder is one of a shard: in no folder below.
bool is_shard(const std::string& name) {
  if (name.find('/') != std::string::npos) return false;
  return name.ends_with(".tar") || name.ends_with(".parquet");
}

class FolderSource : public ImageFiles {
 public:
  explicit FolderSource(const fs::path& folder) : folder_(folder), storage_(storage_of(folder)) {
    const std::size_t prefix_length = (folder / "").string().size();
    for (const ListedFile& file : storage_.files_below(folder)) {
      std::string name = file.path.string().substr(prefix_length);
      if (is_shard(name)) ++shards_;
      if (!takes(name)) continue;
      require_target(file);
      if (file.size_bytes != ListedFile::kUnknownSize) sizes_.emplace(name, file.size_bytes);
      names_.push_back(std::move(name));
    }
    std::ranges::sort(names_);
  }

  std::int64_t image_count() const { return record_count() + unread_count(); }

  /// Returns whether the folder's shards are the dataset, not its images; logs what is left out.
  bool is_of_shards() const {
    if (shards_ == 0) return false;
    const bool result = image_count() <= std::max(kMostImagesOfShards, shards_);
    log::warning(result ? "Left out the images beside shards" : "Left out the shards beside images",
                 {{"folder", folder_}, {"images", image_count()}, {"shards", shards_}});
    return result;
  }

  void read_labels() {
    const fs::path json = folder_ / kDatasetJson;
    try {
      labels_ = storage_.is_file(json) ? labels_by_dataset_json(names_, read_file(json))
                                       : labels_by_folder(names_);
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + folder_.string());
    }
  }

  void read(std::int64_t index, Record& record) const override {
    const auto file = storage_.open(listed(names_[index]));
    require_size(index, file->size_bytes());
    record.buffer.resize(file->size_bytes());
    record.buffer.resize(file->read(0, record.buffer));
    record.bytes = record.buffer;
    finish(index, record);
  }

  std::string describe(std::int64_t index) const override {
    return (folder_ / names_[index]).string() + ", record " + std::to_string(index) + ", offset 0";
  }

 private:
  ListedFile listed(const std::string& name) const {
    ListedFile file{.path = folder_ / name};
    const auto size = sizes_.find(name);
    if (size != sizes_.end()) file.size_bytes = size->second;
    return file;
  }

  fs::path folder_;
  const Storage& storage_;
  std::unordered_map<std::string, std::int64_t> sizes_;  ///< as far as known
  std::int64_t shards_ = 0;                              ///< directly in the folder
};

}  // namespace

std::unique_ptr<Source> open_folder(const fs::path& folder) {
  auto source = std::make_unique<FolderSource>(folder);
  if (source->image_count() == 0 || source->is_of_shards()) return nullptr;
  source->read_labels();
  return source;
}

}  // namespace ganscale::data
