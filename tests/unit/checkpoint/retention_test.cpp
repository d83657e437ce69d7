#include "checkpoint/retention.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::checkpoint {
namespace {

using Names = std::vector<std::string>;

struct RetentionCase {
  std::string name;
  std::vector<RetentionCandidate> candidates;
  int keep_last;
  std::optional<Better> better;
  Names expected;
  int keep_best = 1;
};

void PrintTo(const RetentionCase& row, std::ostream* out) { *out << row.name; }

class Retention : public testing::TestWithParam<RetentionCase> {};

TEST_P(Retention, DeletesWhatTheTableSays) {
  const auto& row = GetParam();
  EXPECT_EQ(checkpoints_to_delete(row.candidates, {row.keep_last, row.better, row.keep_best}),
            row.expected);
}

constexpr auto kNone = std::nullopt;

INSTANTIATE_TEST_SUITE_P(
    Table, Retention,
    testing::Values(
        RetentionCase{"NothingThere", {}, 1, kNone, {}},
        RetentionCase{"FewerThanKept", {{"a", 1, true, kNone}}, 2, kNone, {}},
        RetentionCase{"TheOldestGo",
                      {{"c", 3, true, kNone}, {"a", 1, true, kNone}, {"b", 2, true, kNone}},
                      1,
                      kNone,
                      {"a", "b"}},
        RetentionCase{"ZeroKeepsAll", {{"a", 1, true, kNone}, {"b", 2, true, kNone}}, 0, kNone, {}},
        RetentionCase{"TheLowestStays",
                      {{"a", 1, true, 9.0}, {"b", 2, true, 5.0}, {"c", 3, true, 7.0}},
                      1,
                      Better::kLower,
                      {"a"}},
        RetentionCase{"TheHighestStays",
                      {{"a", 1, true, 9.0}, {"b", 2, true, 5.0}, {"c", 3, true, 7.0}},
                      1,
                      Better::kHigher,
                      {"b"}},
        RetentionCase{"TheOlderOfEqualsStays",
                      {{"a", 1, true, 5.0}, {"b", 2, true, 5.0}, {"c", 3, true, 7.0}},
                      1,
                      Better::kLower,
                      {"b"}},
        RetentionCase{"TheTwoBestStay",
                      {{"a", 1, true, 4.0},
                       {"b", 2, true, 5.0},
                       {"c", 3, true, 9.0},
                       {"d", 4, true, 6.0},
                       {"e", 5, true, kNone}},
                      1,
                      Better::kLower,
                      {"c", "d"},
                      2},
        RetentionCase{"AsManyBestOnesStayAsAreMeasured",
                      {{"a", 1, true, 4.0}, {"b", 2, true, kNone}, {"c", 3, true, 9.0}},
                      1,
                      Better::kHigher,
                      {"b"},
                      5},
        RetentionCase{"AnUnmeasuredOneIsNeverTheBest",
                      {{"a", 1, true, kNone}, {"b", 2, true, 5.0}, {"c", 3, true, kNone}},
                      1,
                      Better::kLower,
                      {"a"}},
        RetentionCase{"NanIsNeverTheBest",
                      {{"a", 1, true, std::nan("")}, {"b", 2, true, 5.0}, {"c", 3, true, kNone}},
                      1,
                      Better::kLower,
                      {"a"}},
        RetentionCase{"AnInvalidOneIsNeverTheBest",
                      {{"a", 1, false, 1.0}, {"b", 2, true, 5.0}, {"c", 3, true, kNone}},
                      1,
                      Better::kLower,
                      {"a"}},
        RetentionCase{"TheNewestValidStaysBehindInvalidOnes",
                      {{"a", 1, true, kNone}, {"b", 2, false, kNone}, {"c", 3, false, kNone}},
                      1,
                      kNone,
                      {}},
        RetentionCase{"AnInvalidOneGoesAfterAValidOne",
                      {{"a", 1, true, kNone}, {"b", 2, false, kNone}, {"c", 3, true, kNone}},
                      2,
                      kNone,
                      {"b"}}),
    [](const auto& info) { return info.param.name; });

TEST(BetterDirection, FollowsTheMetricsName) {
  EXPECT_EQ(better_direction("fid50k"), Better::kLower);
  EXPECT_EQ(better_direction("kid50k"), Better::kLower);
  EXPECT_EQ(better_direction("is50k"), Better::kHigher);
  EXPECT_EQ(better_direction("pr50k3_recall"), Better::kHigher);
  EXPECT_EQ(better_direction("fid50k_by_label"), Better::kLower);
  EXPECT_EQ(better_direction("dc50k5_coverage"), Better::kHigher);
  EXPECT_EQ(better_direction("loss"), std::nullopt);
  EXPECT_EQ(better_direction(""), std::nullopt);
}

}  // namespace
}  // namespace ganscale::checkpoint
