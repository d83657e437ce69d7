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

TEST(TickLine, HasTheMainNumbers) {
  auto tick = make_tick();
  tick.losses = {{"discriminator", 1.2146}, {"generator", 0.82}, {"r1", 0.0734}};
  tick.scores = {{"fake", 0.415}, {"real", 0.584}};
  EXPECT_EQ(tick_line(tick, 7800),
            "tick 12   480.0 kimg  1h 04m  7.91 s/kimg  D 1.21  G 0.820 r1 0.0734  "
            "D(x) 0.58/0.41  left 2h 10m");
}

TEST(TickLine, AlignsItsColumns) {
  auto early = make_tick();
  early.number = 1;
  early.images_seen = 4'000;
  early.seconds = 31.6;
  early.losses = {{"discriminator", 1.4}, {"generator", 0.1234}};
  auto late = make_tick();
  late.number = 250;
  late.losses = {{"discriminator", 0.9}, {"generator", 12.34}};
  const std::string first = tick_line(early, 1000);
  const std::string second = tick_line(late, 10);
  for (const char* column : {" kimg", " s/kimg", "D ", "G ", "left"})
    EXPECT_EQ(first.find(column), second.find(column)) << first << "\n" << second;
}

TEST(TickLine, AddsWhatFits) {
  auto tick = make_tick();
  tick.device_memory_bytes = std::int64_t{98} * (1 << 30) / 10;
  tick.augment_p = 0.12;
  EXPECT_EQ(tick_line(tick, std::nullopt),
            "tick 12   480.0 kimg  1h 04m  7.91 s/kimg  augment 0.12  gpumem 9.8  mem 3.2  "
            "maintenance 3.1s");
}

TEST(TickLine, ShowsWaitsAndAgesOfBothRoles) {
  auto tick = make_tick();
  tick.roles["generator"] = {.wait_share = 0.25, .steps_of_age = {{0, 1}, {1, 3}}};
  tick.roles["discriminator"] = {.wait_share = 0.5, .steps_of_age = {{0, 4}}};
  EXPECT_EQ(tick_line(tick, std::nullopt),
            "tick 12   480.0 kimg  1h 04m  7.91 s/kimg  D waits 50% age 0  G waits 25% age 0.750  "
            "mem 3.2");
}

TEST(TickLine, IsNeverLongerThanAHundredCharacters) {
  auto tick = make_tick();
  tick.images_seen = 25'000'000;
  tick.augment_p = 0.5;
  tick.losses = {
      {"discriminator", 0.012}, {"generator", 0.012}, {"path_length", 0.012}, {"r1", 0.01}};
  tick.scores = {{"fake", 0.4}, {"real", 0.6}};
  const std::string line = tick_line(tick, 86400 * 12);
  EXPECT_LE(line.size(), 100U) << line;
  EXPECT_TRUE(line.ends_with("  left 12d 00h")) << line;
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
