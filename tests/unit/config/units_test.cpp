#include "config/units.h"

#include <gtest/gtest.h>

#include <regex>

namespace ganscale::config {
namespace {

TEST(Units, ReadsBytes) {
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("64KiB"), 65536);
  EXPECT_EQ(parse_bytes("1.5 MB"), 1500000);
  EXPECT_EQ(parse_bytes("4 gigs"), std::nullopt);
  EXPECT_EQ(parse_bytes("-1"), std::nullopt);
  EXPECT_EQ(parse_bytes("8388607TiB"), std::int64_t{8388607} << 40);
  EXPECT_EQ(parse_bytes("8388608TiB"), std::nullopt);  // 2^63
}

TEST(Units, ReadsTimes) {
  EXPECT_EQ(parse_seconds("90"), 90);
  EXPECT_EQ(parse_seconds("15m"), 900);
  EXPECT_EQ(parse_seconds("2h"), 7200);
  EXPECT_EQ(parse_seconds("soon"), std::nullopt);
  EXPECT_EQ(parse_seconds("1e308d"), std::nullopt);
}

TEST(Units, HasPatternsThatMatchEveryQuantity) {
  const std::regex bytes(bytes_pattern());
  const std::regex seconds(seconds_pattern());
  for (const std::string number : {"0", "+4", "-0", "1.5", ".5", "5.", "2e3", "2E-3", "1.e+2"}) {
    for (const std::string unit : {"", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", " TiB"}) {
      EXPECT_TRUE(parse_bytes(number + unit) && std::regex_search(number + unit, bytes))
          << number + unit;
    }
    for (const std::string unit : {"", "ms", "s", "m", " min", "h", "  d"}) {
      EXPECT_TRUE(parse_seconds(number + unit) && std::regex_search(number + unit, seconds))
          << number + unit;
    }
  }
  for (const std::string text : {"4Gi", "4 gigs", "many", "", "4GiB each"})
    EXPECT_FALSE(std::regex_search(text, bytes)) << text;
  EXPECT_FALSE(std::regex_search(std::string("2 hours"), seconds));
}

// std::regex recurses with what it matches, so without a limit a hostile text would overflow the stack.
TEST(Units, HasPatternsThatEndSoonOnLongTexts) {
  for (const char repeated : {'1', 'e', ' ', 'x'}) {
    const std::string text = "1" + std::string(1'000'000, repeated);
    EXPECT_FALSE(std::regex_search(text, std::regex(bytes_pattern()))) << repeated;
    EXPECT_FALSE(std::regex_search(text, std::regex(seconds_pattern()))) << repeated;
  }
}

TEST(Units, ReadsWholeTextsOnly) {
  EXPECT_EQ(parse_integer("12"), 12);
  EXPECT_EQ(parse_integer("12.5"), std::nullopt);
  EXPECT_EQ(parse_number("2e-4"), 2e-4);
  EXPECT_EQ(parse_number("2e-4x"), std::nullopt);
  EXPECT_EQ(parse_number("inf"), std::nullopt);
}

TEST(Units, ReadsBooleansOfYaml) {
  for (const char* text : {"true", "Yes", "ON"}) EXPECT_EQ(parse_bool(text), true) << text;
  for (const char* text : {"FALSE", "no", "Off"}) EXPECT_EQ(parse_bool(text), false) << text;
  for (const char* text : {"", "y", "n", "oN", "1"}) EXPECT_EQ(parse_bool(text), std::nullopt);
  for (const char* text : {"n", "Y", "off"}) EXPECT_TRUE(is_boolean_elsewhere(text)) << text;
  for (const char* text : {"", "none", "oN"}) EXPECT_FALSE(is_boolean_elsewhere(text)) << text;
}

TEST(Units, WritesNumbersThatReadBack) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(parse_number(format_number(1.0 / 3)), 1.0 / 3);
}

}  // namespace
}  // namespace ganscale::config
