#include "object/difference.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

std::string difference(const char* have, const char* want) {
  return first_difference(Json::parse(have), Json::parse(want)).value_or("none");
}

TEST(FirstDifference, AllowsWhatServerAndOthersAdd) {
  EXPECT_EQ(difference(R"({"a": 1, "b": 2})", R"({"a": 1})"), "none");
  EXPECT_EQ(difference(R"({"list": [{"x": 1, "default": true}]})", R"({"list": [{"x": 1}]})"),
            "none");
  EXPECT_EQ(difference("{}", R"({"empty": {}, "none": []})"), "none");
  EXPECT_EQ(difference(R"({"a": null})", R"({"a": {}})"), "none");
}

TEST(FirstDifference, NamesTheFieldThatWasEdited) {
  EXPECT_EQ(difference(R"({"a": 2})", R"({"a": 1})"), "a");
  EXPECT_EQ(difference("{}", R"({"a": 1})"), "a");
  EXPECT_EQ(difference(R"({"a": "1"})", R"({"a": 1})"), "a");
  EXPECT_EQ(difference(R"({"spec": {"b": 1, "c": 3}})", R"({"spec": {"b": 1, "c": 2}})"), "spec.c");
  EXPECT_EQ(difference(R"({"spec": 3})", R"({"spec": {"b": 1}})"), "spec");
  EXPECT_EQ(difference(R"({"data": {"run.yaml": "x"}})", R"({"data": {"run.yaml": "y"}})"),
            "data.run.yaml");
}

TEST(FirstDifference, NamesTheItemOrTheListThatHasAnotherLength) {
  EXPECT_EQ(difference(R"({"list": [1, 2]})", R"({"list": [1]})"), "list");
  EXPECT_EQ(difference(R"({"list": [1, 3]})", R"({"list": [1, 2]})"), "list[1]");
  EXPECT_EQ(difference(R"({"l": [{"x": 1}, {"x": 9}]})", R"({"l": [{"x": 1}, {"x": 2}]})"),
            "l[1].x");
  EXPECT_EQ(difference(R"({"list": {}})", R"({"list": [1]})"), "list");
}

}  // namespace
}  // namespace ganscale::controller
