#include "report/log/tick_line.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::report {
namespace {

Tick make_tick() {
  Tick tick;
  tick.number = 12;
  tick.images_seen = 480'000;
  tick.seconds = 3840;
  tick.seconds_per_kimg = 7.912;
  tick.maintenance_seconds = 3.14;
  tick.host_memory_bytes = std::int64_t{32} * (1 << 30) / 10;
  return tick;
}

TEST(TickLine, ReadsAsInTheField) {
  auto tick = make_tick();
  tick.device_memory_bytes = std::int64_t{98} * (1 << 30) / 10;
  tick.augment_p = 0.12;
  EXPECT_EQ(tick_line(tick, std::nullopt),
            "tick 12  kimg 480.0  time 1h 04m  s/kimg 7.91  maintenance 3.1s  cpumem 3.2  "
            "gpumem 9.8  augment 0.120");
}

TEST(TickLine, LeavesOutWhatThereIsNot) {
  auto tick = make_tick();
  tick.losses = {{"discriminator", 1.2146}, {"generator", 0.82}};
  EXPECT_EQ(tick_line(tick, 7800),
            "tick 12  kimg 480.0  time 1h 04m  s/kimg 7.91  maintenance 3.1s  cpumem 3.2  "
            "loss discriminator 1.21 generator 0.820  left 2h 10m");
}

TEST(TickLine, TellsWaitsAndAgesOfBothRoles) {
  auto tick = make_tick();
  tick.roles["generator"] = {.wait_share = 0.25, .steps_of_age = {{0, 1}, {1, 3}}};
  tick.roles["discriminator"] = {.wait_share = 0.5, .steps_of_age = {{0, 4}}};
  EXPECT_EQ(tick_line(tick, std::nullopt),
            "tick 12  kimg 480.0  time 1h 04m  s/kimg 7.91  maintenance 3.1s  cpumem 3.2  "
            "wait discriminator 0.500 generator 0.250  staleness discriminator 0 generator 0.750");
}

TEST(TickLine, TakesTheTwoGreatestUnitsOfATime) {
  EXPECT_EQ(format_duration(0.4), "0s");
  EXPECT_EQ(format_duration(59.6), "1m 00s");
  EXPECT_EQ(format_duration(725), "12m 05s");
  EXPECT_EQ(format_duration(86400 * 3 + 3600 * 7), "3d 07h");
  EXPECT_EQ(format_duration(INFINITY), "?");
}

TEST(TickLine, WritesThreeSignificantDigits) {
  EXPECT_EQ(format_short(0), "0");
  EXPECT_EQ(format_short(0.021349), "0.0213");
  EXPECT_EQ(format_short(-7.9124), "-7.91");
  EXPECT_EQ(format_short(48.26), "48.3");
  EXPECT_EQ(format_short(480.2), "480");
  EXPECT_EQ(format_short(0.0002), "0.0002");
  EXPECT_EQ(format_short(std::nan("")), "nan");
}

}  // namespace
}  // namespace ganscale::report
