#include "cli/images/number_list.h"

#include <limits>

#include "support/expect_error.h"

namespace ganscale::cli {
namespace {

using testing::ElementsAre;

TEST(NumberList, ReadsNumbersAndRanges) {
  EXPECT_THAT(parse_numbers("--seeds", "0-3,7"), ElementsAre(0, 1, 2, 3, 7));
  EXPECT_THAT(parse_numbers("--seeds", "5"), ElementsAre(5));
}

TEST(NumberList, RefusesOtherText) {
  for (const std::string text : {"", "a", "3-1", "1,,2", "-4", "1-", "0-63x"}) {
    expect_error(ExitCode::kUsage, "--seeds: expected numbers and ranges, such as 0-63,100: ", [&] {
      parse_numbers("--seeds", text);
    });
  }
  expect_error(ExitCode::kUsage, "--seeds: more than a million numbers",
               [] { parse_numbers("--seeds", "0-9,0-999999999999"); });
  expect_error(ExitCode::kUsage, "--seeds: more than a million numbers",
               [] { parse_numbers("--seeds", "0-9223372036854775807"); });
}

TEST(NumberList, CutsIntoPartsThatCountUp) {
  EXPECT_THAT(consecutive_spans({0, 1, 2, 3, 7, 6}, 3),
              ElementsAre(Span{0, 3}, Span{3, 1}, Span{7, 1}, Span{6, 1}));
  constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(consecutive_spans({kHighest - 1, kHighest, kHighest}, 3),
              ElementsAre(Span{kHighest - 1, 2}, Span{kHighest, 1}));
}

}  // namespace
}  // namespace ganscale::cli
