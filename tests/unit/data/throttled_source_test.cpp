#include "support/throttled_source.h"

#include "support/expect_error.h"
#include "unit/data/fake_source.h"

namespace ganscale::data {
namespace {

constexpr Throttle kThrottle{.latency = 1,
                             .jitter = 0.5,
                             .period = 10,
                             .congested_share = 0.3,
                             .congested_factor = 20,
                             .stall = 1000,
                             .stall_probability = 0.1,
                             .error_probability = 0.2};

TEST(Throttle, EndsEachPeriodWithACongestion) {
  EXPECT_FALSE(is_congested(kThrottle, 0));
  EXPECT_FALSE(is_congested(kThrottle, 6.9));
  EXPECT_TRUE(is_congested(kThrottle, 7.1));
  EXPECT_TRUE(is_congested(kThrottle, 9.9));
  EXPECT_FALSE(is_congested(kThrottle, 20.1));
}

TEST(Throttle, TroublesReadsByItsSeedAndProbabilities) {
  Throttle other = kThrottle;
  other.seed = 2;
  int errors = 0;
  int stalls = 0;
  int differences = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Trouble trouble = trouble_of(kThrottle, i, 0);
    const bool stalls_now = trouble.seconds >= 1000;
    const double usual = trouble.seconds - (stalls_now ? 1000 : 0);
    EXPECT_GE(usual, 1);
    EXPECT_LT(usual, 1.5);
    EXPECT_EQ(trouble.seconds, trouble_of(kThrottle, i, 0).seconds);
    errors += trouble.fails ? 1 : 0;
    stalls += stalls_now ? 1 : 0;
    differences += trouble.seconds != trouble_of(other, i, 0).seconds ? 1 : 0;
  }
  EXPECT_NEAR(errors, 2000, 200);  // five standard deviations
  EXPECT_NEAR(stalls, 1000, 150);
  EXPECT_GT(differences, 9900);
}

TEST(Throttle, SlowsReadsThatBeginInACongestion) {
  Throttle throttle = kThrottle;
  throttle.stall_probability = 0;
  for (int i = 0; i < 100; ++i) {
    EXPECT_DOUBLE_EQ(trouble_of(throttle, i, 8).seconds, 20 * trouble_of(throttle, i, 2).seconds);
  }
}

TEST(ThrottledSource, WaitsAndFailsAsTheScheduleSays) {
  const FakeSource images(100);
  double waited = 0;
  ThrottledSource source(
      images, kThrottle, [] { return 0.0; }, [&](double seconds) { waited += seconds; });
  source.lost = {50};
  double expected = 0;
  Record record;
  for (int i = 0; i < 50; ++i) {
    const Trouble trouble = trouble_of(kThrottle, i, 0);
    expected += trouble.seconds;
    if (trouble.fails) {
      EXPECT_THROW(source.read(i, record), TransientReadError);
    } else {
      source.read(i, record);
      EXPECT_EQ(record.bytes[0], i);
    }
  }
  EXPECT_DOUBLE_EQ(waited, expected);
  EXPECT_EQ(source.reads(), 50);
  expect_error(ExitCode::kData, "lost", [&] { source.read(50, record); });
}

}  // namespace
}  // namespace ganscale::data
