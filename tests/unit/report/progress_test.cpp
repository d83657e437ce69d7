#include "report/progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::report {
namespace {

TEST(Progress, ShowsShareNumbersRateAndTimeLeft) {
  const Advance advance{.done = 62'500, .total = 250'000, .seconds = 50};
  EXPECT_EQ(progress_line(advance, "images", 80),
            "[=======>                    ]  25%  62,500/250,000 images  1250/s  left 2m 30s");
}

TEST(Progress, CountsOnlyThisRunsWorkInTheRate) {
  const Advance resumed{.done = 200, .total = 300, .done_at_start = 100, .seconds = 10};
  EXPECT_DOUBLE_EQ(seconds_left(resumed), 10);
}

TEST(Progress, KnowsNoTimeLeftBeforeTheFirstStep) {
  EXPECT_TRUE(std::isinf(seconds_left({.done = 5, .total = 10, .done_at_start = 5})));
  EXPECT_EQ(seconds_left({.done = 10, .total = 10, .done_at_start = 10}), 0);
}

TEST(Progress, FitsANarrowTerminal) {
  const Advance advance{.done = 5, .total = 10, .seconds = 1};
  EXPECT_EQ(progress_line(advance, "images", 30).size(), 29U);
  EXPECT_EQ(progress_line(advance, "images", 1), "");
}

}  // namespace
}  // namespace ganscale::report
