#include "data/parquet/parquet_columns.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/key_value_metadata.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"

namespace ganscale::data {
namespace {

constexpr char kBytesField[] = "bytes";
constexpr std::array<std::string_view, 3> kImageNames{"image", "img", "images"};
constexpr std::array<std::string_view, 2> kLabelNames{"label", "labels"};

std::string text_of(const arrow::Field& field) {
  return field.name() + ": " + field.type()->ToString();
}

bool is_bytes(const arrow::DataType& type) {
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY;
}

/// Returns which field of a struct holds the bytes of an image; nothing if it has none.
std::optional<int> bytes_field(const arrow::DataType& type) {
  if (type.id() != arrow::Type::STRUCT) return std::nullopt;
  const int field = static_cast<const arrow::StructType&>(type).GetFieldIndex(kBytesField);
  if (field < 0 || !is_bytes(*type.field(field)->type())) return std::nullopt;
  return field;
}

bool holds_images(const arrow::DataType& type) { return is_bytes(type) || bytes_field(type); }

bool holds_lists_of_images(const arrow::DataType& type) {
  const bool is_list = arrow::is_list_like(type.id());
  return is_list && holds_images(*type.field(0)->type());
}

[[noreturn]] void refuse_columns(const std::string& why, const arrow::Schema& schema) {
  throw DataError(why + " (columns: " + columns_text(schema) + ")");
}

int image_column(const arrow::Schema& schema) {
  std::vector<int> found;
  bool has_lists = false;
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (holds_images(*schema.field(i)->type())) found.push_back(i);
    has_lists |= holds_lists_of_images(*schema.field(i)->type());
  }
  if (found.size() == 1) return found.front();
  for (const std::string_view name : kImageNames) {
    const auto named =
        std::ranges::find(found, name, [&](int i) { return schema.field(i)->name(); });
    if (named != found.end()) return *named;
  }
  if (!found.empty())
    refuse_columns("several columns may hold images, and none is named image, img or images",
                   schema);
  if (has_lists) refuse_columns("lists of images are not read: write a row for each image", schema);
  refuse_columns("no column holds images: binary values, or structs with a binary field bytes",
                 schema);
}

/// Returns the features that `datasets` notes in the metadata; empty without them.
nlohmann::json features_of(const arrow::Schema& schema) {
  if (schema.metadata() == nullptr) return {};
  const auto text = schema.metadata()->Get("huggingface");
  if (!text.ok()) return {};
  auto root = nlohmann::json::parse(*text);
  const auto features = "/info/features"_json_pointer;
  if (root.is_object() && !root.contains(features)) return {};
  return std::move(root.at(features));  // a copy would recurse with the levels
}

bool is_class_label(const nlohmann::json& features, const std::string& name) {
  if (!features.contains(name)) return false;
  const auto& feature = features.at(name);  // an array for a list
  return feature.is_object() && feature.value("_type", "") == "ClassLabel";
}

/// Sets the label column to a ClassLabel's, with its names, if there is one.
void find_class_label(const arrow::Schema& schema, ParquetColumns& columns) {
  try {
    const auto features = features_of(schema);
    for (int i = 0; i < schema.num_fields(); ++i) {
      const std::string& name = schema.field(i)->name();
      if (!is_class_label(features, name)) continue;
      if (!columns.label || name == kLabelNames.front()) columns.label = i;
    }
    if (!columns.label) return;
    const auto& feature = features.at(schema.field(*columns.label)->name());
    columns.label_names = feature.value("names", std::vector<std::string>());
  } catch (const nlohmann::json::exception& error) {
    throw DataError(std::string("metadata of `datasets` is damaged (") + error.what() + ")");
  }
  if (!arrow::is_integer(*schema.field(*columns.label)->type()))
    refuse_columns("a ClassLabel is not a column of integers", schema);
}

void find_integer_label(const arrow::Schema& schema, ParquetColumns& columns) {
  for (const std::string_view name : kLabelNames) {
    const int column = schema.GetFieldIndex(std::string(name));
    if (columns.label || column < 0) continue;
    if (arrow::is_integer(*schema.field(column)->type())) columns.label = column;
  }
}

}  // namespace

ParquetColumns find_columns(const arrow::Schema& schema) {
  ParquetColumns columns;
  columns.image = image_column(schema);
  columns.bytes = bytes_field(*schema.field(columns.image)->type());
  find_class_label(schema, columns);
  find_integer_label(schema, columns);
  return columns;
}

std::string columns_text(const arrow::Schema& schema) {
  std::string text;
  for (const auto& field : schema.fields()) text += (text.empty() ? "" : ", ") + text_of(*field);
  return text;
}

}  // namespace ganscale::data
