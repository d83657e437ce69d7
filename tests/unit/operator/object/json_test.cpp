#include "object/json.h"

#include <gtest/gtest.h>

#include <string>

namespace ganscale::controller {
namespace {

TEST(ParseJson, ReadsWhatServersSend) {
  EXPECT_EQ(parse_json(R"({"a": [1, {"b": null}], "c": "x"})"),
            Json({{"a", Json::array({1, {{"b", nullptr}}})}, {"c", "x"}}));
  EXPECT_TRUE(parse_json("<html>").is_discarded());
  EXPECT_TRUE(parse_json("").is_discarded());
  EXPECT_TRUE(parse_json("{} {}").is_discarded());
}

std::string nested_text(const std::string& begin, const std::string& end, int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += begin;
  text += "1";
  for (int i = 0; i < levels; ++i) text += end;
  return text;
}

int depth_of(const Json& value) {
  if (!value.is_structured() || value.empty()) return 0;
  return 1 + depth_of(value.front());
}

TEST(ParseJson, DropsValuesNestedTooDeepAndKeepsTheRest) {
  for (const int levels : {10, 99, 1000, 200000}) {
    const Json value = parse_json(R"({"a": )" + nested_text(R"({"x":)", "}", levels) +
                                  R"(, "list": )" + nested_text("[", "]", levels) + R"(, "z": 3})");
    EXPECT_EQ(value["z"], 3) << levels;
    EXPECT_LE(depth_of(value["a"]), std::min(levels, 100)) << levels;
    EXPECT_GE(depth_of(value["a"]), std::min(levels, 90)) << levels;
    EXPECT_LE(depth_of(value["list"]), 100) << levels;
    EXPECT_NO_THROW(value.dump());
  }
}

// The cache of an informer keeps objects in this form.
TEST(ParseJson, LeavesNothingThatMessagePackCannotHold) {
  for (int levels = 95; levels < 104; ++levels) {
    std::string text = R"({"k": [1], "z": 3})";
    for (int i = 0; i < levels; ++i) text = R"({"x": )" + text + "}";
    const Json value = parse_json(text);
    EXPECT_EQ(Json::from_msgpack(Json::to_msgpack(value)), value) << levels;
  }
}

}  // namespace
}  // namespace ganscale::controller
