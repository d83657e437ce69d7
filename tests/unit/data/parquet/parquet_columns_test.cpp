#include "data/parquet/parquet_columns.h"

#include "support/expect_error.h"
#include "unit/data/parquet/write_parquet.h"
#include "unit/nested_json.h"

namespace ganscale::data {
namespace {

const auto kImage =
    arrow::struct_({arrow::field("path", arrow::utf8()), arrow::field("bytes", arrow::binary())});

std::shared_ptr<arrow::Schema> schema_of(arrow::FieldVector fields,
                                         const std::string& metadata = "{}") {
  return arrow::schema(std::move(fields), arrow::key_value_metadata({{"huggingface", metadata}}));
}

void expect_refused(const std::string& text, const std::shared_ptr<arrow::Schema>& schema) {
  expect_error(ExitCode::kData, text, [&] { find_columns(*schema); });
}

TEST(ParquetColumns, TheOnlyColumnOfImagesMayHaveAnyName) {
  const auto columns =
      find_columns(*schema_of({arrow::field("id", arrow::int32()), arrow::field("face", kImage),
                               arrow::field("x", kImage->field(0)->type())}));
  EXPECT_EQ(columns.image, 1);
  EXPECT_EQ(columns.bytes, 1);
  EXPECT_EQ(columns.label, std::nullopt);
}

TEST(ParquetColumns, OfSeveralTheNamedOneIsTaken) {
  for (const char* name : {"image", "img", "images"}) {
    const auto columns = find_columns(
        *schema_of({arrow::field("mask", kImage), arrow::field(name, arrow::large_binary())}));
    EXPECT_EQ(columns.image, 1);
    EXPECT_EQ(columns.bytes, std::nullopt);
  }
  expect_refused(
      "none is named image, img or images (columns: a: binary, b: binary)",
      schema_of({arrow::field("a", arrow::binary()), arrow::field("b", arrow::binary())}));
}

TEST(ParquetColumns, OtherTypesAreRefusedWithAllColumns) {
  expect_refused(
      "no column holds images: binary values, or structs with a binary field bytes (columns: "
      "image: "
      "string, box: struct<bytes: int64>)",
      schema_of({arrow::field("image", arrow::utf8()),
                 arrow::field("box", arrow::struct_({arrow::field("bytes", arrow::int64())}))}));
  expect_refused("lists of images are not read",
                 schema_of({arrow::field("images", arrow::list(kImage))}));
}

TEST(ParquetColumns, AClassLabelNamedLabelIsTakenElseTheFirst) {
  const std::string coarse = R"("coarse": {"names": ["a", "b"], "_type": "ClassLabel"})";
  const arrow::FieldVector fields{arrow::field("image", kImage),
                                  arrow::field("coarse", arrow::int64()),
                                  arrow::field("label", arrow::int64())};
  const auto both = find_columns(
      *schema_of(fields, R"({"info": {"features": {)" + coarse +
                             R"(, "label": {"names": ["c"], "_type": "ClassLabel"}}}})"));
  EXPECT_EQ(both.label, 2);
  EXPECT_THAT(both.label_names, testing::ElementsAre("c"));
  const auto one = find_columns(*schema_of(fields, R"({"info": {"features": {)" + coarse + "}}}"));
  EXPECT_EQ(one.label, 1);
  EXPECT_THAT(one.label_names, testing::ElementsAre("a", "b"));
}

TEST(ParquetColumns, IntegersNamedLabelNeedNoMetadata) {
  for (const char* name : {"label", "labels"}) {
    const auto columns = find_columns(
        *schema_of({arrow::field(name, arrow::uint8()), arrow::field("image", kImage)}));
    EXPECT_EQ(columns.label, 0);
    EXPECT_TRUE(columns.label_names.empty());
  }
  const auto masks = find_columns(*schema_of(
      {arrow::field("image", kImage), arrow::field("label", kImage),
       arrow::field("labels", arrow::list(arrow::int64()))},
      R"({"info": {"features": {"labels": [{"names": ["a"], "_type": "ClassLabel"}]}}})"));
  EXPECT_EQ(masks.label, std::nullopt);
}

TEST(ParquetColumns, MetadataMayBeNestedHoweverDeeply) {
  const auto columns = find_columns(*schema_of({arrow::field("image", kImage)},
                                               R"({"info": {"features": )" + nested_json() + "}}"));
  EXPECT_EQ(columns.image, 0);
}

TEST(ParquetColumns, DamagedMetadataIsRefused) {
  for (const char* metadata :
       {"{", "3", R"({"info": {"features": {"label": {"names": 3, "_type": "ClassLabel"}}}})",
        R"({"info": {"features": {"label": {"names": [1], "_type": "ClassLabel"}}}})"}) {
    expect_refused("metadata of `datasets` is damaged",
                   schema_of({arrow::field("image", kImage), arrow::field("label", arrow::int64())},
                             metadata));
  }
  expect_refused("a ClassLabel is not a column of integers (columns: image: ",
                 schema_of({arrow::field("image", kImage), arrow::field("label", arrow::utf8())},
                           class_label_metadata("label", R"(["a"])")));
}

}  // namespace
}  // namespace ganscale::data
