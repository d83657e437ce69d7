#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/parquet/parquet_columns.h"

namespace parquet {
class FileMetaData;
namespace arrow {
class FileReader;
}
}  // namespace parquet

namespace ganscale::data {

/// The images of a row group.
class ImageRows {
 public:
  /// images: of binary values, valid.
  explicit ImageRows(std::shared_ptr<arrow::ChunkedArray> images);

  std::int64_t size_bytes() const { return size_bytes_; }
  /// Returns the file of an image; nothing for null.
  std::optional<std::span<const std::uint8_t>> bytes(std::int64_t row) const;

 private:
  std::shared_ptr<arrow::ChunkedArray> images_;
  std::int64_t size_bytes_ = 0;
};

/// A Parquet file with images. Functions throw DataError with file and row, and StorageError;
/// those that are const are thread safe.
class ParquetFile {
 public:
  struct RowGroup {
    std::int64_t row_count = 0;
    std::int64_t image_bytes = 0;  ///< not compressed, as the file says
  };

  /// pool: where Arrow takes memory; lives longer than the file and what is read of it.
  ParquetFile(std::filesystem::path file, arrow::MemoryPool& pool);

  const std::filesystem::path& path() const { return path_; }
  const ParquetColumns& columns() const { return columns_; }
  /// Returns names and types of all columns.
  const std::string& columns_text() const { return columns_text_; }
  const std::vector<RowGroup>& row_groups() const { return row_groups_; }

  /// Returns the labels of all rows; empty without a column of labels.
  std::vector<std::int64_t> labels() const;
  std::shared_ptr<const ImageRows> read(int row_group) const;

 private:
  std::unique_ptr<parquet::arrow::FileReader> open() const;
  void read_schema();
  void read_row_groups(std::int64_t size_bytes);
  std::int64_t valid_label(const std::optional<std::int64_t>& label, std::int64_t row) const;

  std::filesystem::path path_;
  arrow::MemoryPool& pool_;
  std::shared_ptr<arrow::io::RandomAccessFile> input_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  ParquetColumns columns_;
  std::string columns_text_;
  int image_leaf_ =
      -1;  ///< Parquet's number of the column with the bytes: each field of a struct has one
  int label_leaf_ = -1;  ///< -1 without labels
  std::vector<RowGroup> row_groups_;
};

}  // namespace ganscale::data
