#include "data/parquet/parquet_source.h"

#include <arrow/memory_pool.h>

#include <algorithm>
#include <deque>
#include <string>

#include "base/error.h"
#include "data/formats/file_bytes.h"
#include "data/formats/gunzip.h"
#include "data/formats/labeled_source.h"
#include "data/parquet/lru_cache.h"
#include "data/parquet/parquet_file.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

/// A row group among all files'.
struct Group {
  std::size_t file = 0;
  int row_group = 0;  ///< in its file
  std::int64_t first_row = 0;
  std::int64_t first_record = 0;
  std::int64_t image_bytes = 0;
};

void require_same_columns(const ParquetFile& file, const ParquetFile& first) {
  if (file.columns_text() != first.columns_text()) {
    throw DataError("Parquet files of a dataset have different columns: " + first.path().string() +
                    " (" + first.columns_text() + "), " + file.path().string() + " (" +
                    file.columns_text() + ")");
  }
  if (file.columns().label_names != first.columns().label_names) {
    throw DataError("Parquet files of a dataset have different names of labels: " +
                    first.path().string() + ", " + file.path().string());
  }
}

class ParquetSource : public LabeledSource {
 public:
  ParquetSource(const std::vector<fs::path>& files, std::int64_t kept_bytes)
      : kept_bytes_(kept_bytes), decoded_(kept_bytes) {
    for (const fs::path& file : files) add(file);
    labels_.names = files_.front().columns().label_names;
    if (!labels_.names.empty()) labels_.count = std::ssize(labels_.names);
  }

  std::int64_t record_count() const override { return record_count_; }

  void read(std::int64_t index, Record& record) const override {
    const Group& group = group_of(index);
    const auto rows = decoded_.get(&group - groups_.data(), group.image_bytes,
                                   [&] { return files_[group.file].read(group.row_group); });
    const auto bytes = rows->bytes(index - group.first_record);
    if (!bytes) {
      throw DataError(
          "row has no bytes of an image, perhaps a path alone; write the dataset with its images "
          "in it, as push_to_hub() of `datasets` does: " +
          describe(index));
    }
    record.buffer.assign(bytes->begin(), bytes->end());
    record.bytes = record.buffer;
    record.encoding = Encoding::kFile;
    record.channels = 0;
    record.height = 0;
    record.width = 0;
    record.label = label(index);
  }

  std::string describe(std::int64_t index) const override {
    const Group& group = group_of(index);
    return files_[group.file].path().string() + ", row " +
           std::to_string(group.first_row + index - group.first_record);
  }

  ImageBlocks image_blocks() const override { return {image_bytes_, kept_bytes_}; }

 private:
  void add(const fs::path& path) {
    const ParquetFile& file = files_.emplace_back(path, pool_);
    require_same_columns(file, files_.front());
    std::int64_t first_row = 0;
    for (std::size_t i = 0; i < file.row_groups().size(); ++i) {
      const auto& [row_count, image_bytes] = file.row_groups()[i];
      if (row_count == 0) continue;
      groups_.push_back(
          {files_.size() - 1, static_cast<int>(i), first_row, record_count_, image_bytes});
      first_row += row_count;
      record_count_ += row_count;
      image_bytes_ += image_bytes;
    }
    add_labels(file, first_row);
  }

  void add_labels(const ParquetFile& file, std::int64_t row_count) {
    const auto labels = file.labels();
    if (file.columns().label && std::ssize(labels) != row_count) {
      throw DataError("Parquet file is damaged (" + std::to_string(labels.size()) + " labels for " +
                      std::to_string(row_count) + " rows): " + file.path().string());
    }
    for (const std::int64_t label : labels) {
      labels_.values.push_back(label);
      labels_.count = std::max(labels_.count, label + 1);
    }
  }

  const Group& group_of(std::int64_t index) const {
    return *std::prev(std::ranges::upper_bound(groups_, index, {}, &Group::first_record));
  }

  /// Bounds what a file can make Arrow allocate.
  arrow::CappedMemoryPool pool_{arrow::default_memory_pool(), kLargestUnpackedBytes};
  std::deque<ParquetFile> files_;
  std::vector<Group> groups_;  ///< those with rows
  std::int64_t record_count_ = 0;
  std::int64_t image_bytes_ = 0;
  std::int64_t kept_bytes_ = 0;
  mutable LruCache<ImageRows> decoded_;
};

}  // namespace

std::unique_ptr<Source> open_parquet(const std::vector<fs::path>& files, std::int64_t kept_bytes) {
  return std::make_unique<ParquetSource>(files, kept_bytes);
}

}  // namespace ganscale::data
