#include "data/formats/sample_labels.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "unit/nested_json.h"

namespace ganscale::data {
namespace {

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(SampleName, IsThePathUpToTheFirstDotOfTheName) {
  EXPECT_EQ(sample_name("000017.jpg"), "000017");
  EXPECT_EQ(sample_name("a.b/000017.seg.png"), "a.b/000017");
  EXPECT_EQ(sample_name("a.b/none"), "a.b/none");
}

TEST(ClassFile, IsAnIntegerFromZeroOn) {
  EXPECT_EQ(label_of_class_file(as_bytes("17")), 17);
  EXPECT_EQ(label_of_class_file(as_bytes(" 0\r\n")), 0);
  for (const char* text : {"", " ", "-1", "1.5", "1 2", "cat", "16777216", "99999999999999999999"})
    expect_error(ExitCode::kData, "not an integer from 0 on",
                 [&] { label_of_class_file(as_bytes(text)); });
}

TEST(JsonFile, MayHaveALabel) {
  EXPECT_EQ(label_of_json_file(as_bytes(R"({"label": 3, "caption": "a cat"})")), 3);
  EXPECT_EQ(label_of_json_file(as_bytes(R"({"caption": "a cat"})")), std::nullopt);
  EXPECT_EQ(label_of_json_file(as_bytes("[1]")), std::nullopt);
  for (const char* text :
       {R"({"label": "cat"})", R"({"label": -1})", R"({"label": 1.5})", R"({"label": null})"})
    expect_error(ExitCode::kData, "not an integer from 0 on",
                 [&] { label_of_json_file(as_bytes(text)); });
  expect_error(ExitCode::kData, "JSON is damaged", [] { label_of_json_file(as_bytes("{")); });
}

TEST(JsonFile, MayBeNestedHoweverDeeply) {
  expect_error(ExitCode::kData, "not an integer from 0 on (array)",
               [&] { label_of_json_file(as_bytes(R"({"label": )" + nested_json() + "}")); });
}

}  // namespace
}  // namespace ganscale::data
