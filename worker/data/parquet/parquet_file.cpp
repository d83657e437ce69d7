#include "data/parquet/parquet_file.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "data/formats/label_file.h"
#include "data/parquet/arrow_file.h"

namespace ganscale::data {
namespace {

/// Returns the bytes of images in structs that hold nothing else; of a null struct they are null.
std::shared_ptr<arrow::ChunkedArray> bytes_of_structs(const arrow::ChunkedArray& images,
                                                      const std::filesystem::path& file) {
  arrow::ArrayVector chunks;
  for (const auto& chunk : images.chunks()) {
    const auto& structs = static_cast<const arrow::StructArray&>(*chunk);
    chunks.push_back(value_of(structs.GetFlattenedField(0), file));
  }
  return std::make_shared<arrow::ChunkedArray>(chunks, images.type()->field(0)->type());
}

template <class Array>
std::optional<std::span<const std::uint8_t>> value_at(const arrow::Array& array, std::int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  const std::string_view value = static_cast<const Array&>(array).GetView(row);
  return std::span(reinterpret_cast<const std::uint8_t*>(value.data()), value.size());
}

}  // namespace

ImageRows::ImageRows(std::shared_ptr<arrow::ChunkedArray> images)
    : images_(std::move(images)), size_bytes_(arrow::util::TotalBufferSize(*images_)) {}

std::optional<std::span<const std::uint8_t>> ImageRows::bytes(std::int64_t row) const {
  int chunk = 0;
  for (; row >= images_->chunk(chunk)->length(); ++chunk) row -= images_->chunk(chunk)->length();
  const arrow::Array& array = *images_->chunk(chunk);
  return array.type_id() == arrow::Type::BINARY ? value_at<arrow::BinaryArray>(array, row)
                                                : value_at<arrow::LargeBinaryArray>(array, row);
}

ParquetFile::ParquetFile(std::filesystem::path file, arrow::MemoryPool& pool)
    : path_(std::move(file)), pool_(pool), input_(open_for_arrow(path_)) {
  using_arrow(path_, [&] {
    read_schema();
    read_row_groups(value_of(input_->GetSize(), path_));
  });
}

std::unique_ptr<parquet::arrow::FileReader> ParquetFile::open() const {
  parquet::ReaderProperties properties(&pool_);
  properties.set_page_checksum_verification(true);
  parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/false);
  arrow_properties.set_pre_buffer(false);  // by threads of Arrow's own
  auto reader = parquet::ParquetFileReader::Open(input_, properties, metadata_);
  return value_of(parquet::arrow::FileReader::Make(&pool_, std::move(reader), arrow_properties),
                  path_);
}

void ParquetFile::read_schema() {
  const auto reader = open();
  metadata_ = reader->parquet_reader()->metadata();
  std::shared_ptr<arrow::Schema> schema;
  require_ok(reader->GetSchema(&schema), path_);
  columns_text_ = data::columns_text(*schema);
  try {
    columns_ = find_columns(*schema);
  } catch (const DataError& error) {
    throw DataError("Parquet file cannot be used, " + std::string(error.what()) + ": " +
                    path_.string());
  }
  const auto& fields = reader->manifest().schema_fields;
  const auto& image = fields.at(columns_.image);
  image_leaf_ = (columns_.bytes ? image.children.at(*columns_.bytes) : image).column_index;
  if (columns_.label) label_leaf_ = fields.at(*columns_.label).column_index;
}

void ParquetFile::read_row_groups(std::int64_t size_bytes) {
  std::int64_t row_count = 0;
  for (int i = 0; i < metadata_->num_row_groups(); ++i) {
    const auto group = metadata_->RowGroup(i);
    // An image takes more than a byte: memory is taken for rows, so a file must not claim any number.
    if (group->num_rows() < 0 || group->num_rows() > size_bytes - row_count)
      throw DataError("Parquet file is damaged (it has more rows than bytes): " + path_.string());
    row_count += group->num_rows();
    row_groups_.push_back(
        {group->num_rows(), group->ColumnChunk(image_leaf_)->total_uncompressed_size()});
  }
}

std::int64_t ParquetFile::valid_label(const std::optional<std::int64_t>& label,
                                      std::int64_t row) const {
  const auto name_count = static_cast<std::int64_t>(columns_.label_names.size());
  const std::int64_t limit = name_count > 0 ? name_count : kMostLabels;
  if (label && *label >= 0 && *label < limit) return *label;
  const std::string where = ": " + path_.string() + ", row " + std::to_string(row);
  if (!label) throw DataError("row has no label (null)" + where);
  if (*label < 0) {
    throw DataError("label is negative (" + std::to_string(*label) +
                    "), as `datasets` writes unknown ones; name a split with labels" + where);
  }
  throw DataError("label is out of range (" + std::to_string(*label) + ", labels " +
                  std::to_string(limit) + ")" + where);
}

std::vector<std::int64_t> ParquetFile::labels() const {
  std::vector<std::int64_t> labels;
  if (label_leaf_ < 0) return labels;
  using_arrow(path_, [&] {
    const auto table = value_of(open()->ReadTable({label_leaf_}), path_);
    require_ok(table->ValidateFull(), path_);
    for (const auto& chunk : table->column(0)->chunks()) {
      const auto integers = value_of(arrow::compute::Cast(*chunk, arrow::int64()), path_);
      for (const auto& label : static_cast<const arrow::Int64Array&>(*integers))
        labels.push_back(valid_label(label, std::ssize(labels)));
    }
  });
  return labels;
}

std::shared_ptr<const ImageRows> ParquetFile::read(int row_group) const {
  return using_arrow(path_, [&] {
    const auto table = value_of(open()->ReadRowGroup(row_group, {image_leaf_}), path_);
    require_ok(table->ValidateFull(), path_);
    auto images = table->column(0);
    if (images->length() != row_groups_[row_group].row_count) {
      throw DataError("Parquet file is damaged (row group " + std::to_string(row_group) + " has " +
                      std::to_string(images->length()) + " images for " +
                      std::to_string(row_groups_[row_group].row_count) +
                      " rows): " + path_.string());
    }
    if (columns_.bytes) images = bytes_of_structs(*images, path_);
    return std::make_shared<const ImageRows>(std::move(images));
  });
}

}  // namespace ganscale::data
