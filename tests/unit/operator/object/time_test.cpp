#include "object/time.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

TEST(Time, IsReadAsItIsWritten) {
  const Time time(std::chrono::seconds(1750000000));
  EXPECT_EQ(format_time(time), "2025-06-15T15:06:40Z");
  EXPECT_EQ(parse_time(format_time(time)), time);
}

TEST(Time, IsReadWithFractionsAndNotWhereThereIsNone) {
  EXPECT_EQ(parse_time("2025-06-15T15:06:40.123456Z"), Time(std::chrono::seconds(1750000000)));
  EXPECT_FALSE(parse_time("yesterday"));
  EXPECT_FALSE(parse_time(""));
}

TEST(Time, IsWrittenWithMicrosecondsForLeases) {
  const auto time =
      std::chrono::system_clock::time_point(std::chrono::microseconds(1750000000000042));
  EXPECT_EQ(format_micro_time(time), "2025-06-15T15:06:40.000042Z");
}

}  // namespace
}  // namespace ganscale::controller
