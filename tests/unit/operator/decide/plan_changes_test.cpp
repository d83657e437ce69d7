#include "decide/plan_changes.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

bool has(const char* have, const char* want) {
  return has_all(Json::parse(have), Json::parse(want));
}

TEST(HasAll, AllowsWhatServerAndOthersAdd) {
  EXPECT_TRUE(has(R"({"a": 1, "b": 2})", R"({"a": 1})"));
  EXPECT_TRUE(has(R"({"list": [{"x": 1, "default": true}]})", R"({"list": [{"x": 1}]})"));
  EXPECT_TRUE(has("{}", R"({"empty": {}, "none": []})"));
}

TEST(HasAll, SeesEveryEdit) {
  EXPECT_FALSE(has(R"({"a": 2})", R"({"a": 1})"));
  EXPECT_FALSE(has("{}", R"({"a": 1})"));
  EXPECT_FALSE(has(R"({"list": [1, 2]})", R"({"list": [1]})"));
  EXPECT_FALSE(has(R"({"list": [2]})", R"({"list": [1]})"));
  EXPECT_FALSE(has(R"({"a": "1"})", R"({"a": 1})"));
}

}  // namespace
}  // namespace ganscale::controller
