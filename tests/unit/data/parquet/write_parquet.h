#pragma once

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Writes Parquet files for tests, by Arrow.
namespace ganscale::data {

inline void must(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

/// The files of images; nothing for null.
using Files = std::vector<std::optional<std::string>>;

template <class Builder, class Values>
std::shared_ptr<arrow::Array> array_of(const Values& values) {
  Builder builder;
  for (const auto& value : values) must(value ? builder.Append(*value) : builder.AppendNull());
  return builder.Finish().ValueOrDie();
}

inline std::shared_ptr<arrow::Array> binary(const Files& files) {
  return array_of<arrow::BinaryBuilder>(files);
}

inline std::shared_ptr<arrow::Array> integers(const std::vector<std::optional<int>>& values) {
  return array_of<arrow::Int64Builder>(values);
}

/// Returns structs as the feature Image of `datasets` has them.
inline std::shared_ptr<arrow::Array> images(const Files& files) {
  const Files paths(files.size(), "image.png");
  return arrow::StructArray::Make({binary(files), array_of<arrow::StringBuilder>(paths)},
                                  std::vector<std::string>{"bytes", "path"})
      .ValueOrDie();
}

using Columns = std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>;

struct ParquetOptions {
  std::string metadata = {};  ///< of `datasets`; empty for none
  std::int64_t rows_per_group = 2;
  arrow::Compression::type compression = arrow::Compression::SNAPPY;
};

inline std::filesystem::path write_parquet(const std::filesystem::path& file,
                                           const Columns& columns,
                                           const ParquetOptions& options = {}) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  }
  auto schema = arrow::schema(fields);
  if (!options.metadata.empty())
    schema = schema->WithMetadata(arrow::key_value_metadata({{"huggingface", options.metadata}}));
  const auto out = arrow::io::FileOutputStream::Open(file.string()).ValueOrDie();
  const auto properties =
      parquet::WriterProperties::Builder().compression(options.compression)->build();
  // Without its schema, Arrow leaves the metadata out, too.
  const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  must(parquet::arrow::WriteTable(*arrow::Table::Make(schema, arrays), arrow::default_memory_pool(),
                                  out, options.rows_per_group, properties, arrow_properties));
  must(out->Close());
  return file;
}

/// The metadata of `datasets` with a ClassLabel in a column.
inline std::string class_label_metadata(const std::string& column, const std::string& names) {
  return R"({"info": {"features": {"image": {"_type": "Image"}, ")" + column + R"(": {"names": )" +
         names + R"(, "_type": "ClassLabel"}}}})";
}

}  // namespace ganscale::data
