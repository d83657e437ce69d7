#include "base/enum_names.h"

#include <gtest/gtest.h>

namespace ganscale {
namespace {

enum class Color { kRed, kGreen, kBlue };

constexpr EnumNames<Color, 2> kNames{{{Color::kRed, "red"}, {Color::kGreen, "green"}}};

TEST(EnumNames, MapValuesToNamesAndBack) {
  EXPECT_EQ(name_in(kNames, Color::kGreen), "green");
  EXPECT_EQ(value_in(kNames, "green"), Color::kGreen);
}

TEST(EnumNames, ReturnNothingForUnknownNames) {
  EXPECT_EQ(name_in(kNames, Color::kBlue), "");
  EXPECT_EQ(value_in(kNames, "blue"), std::nullopt);
}

}  // namespace
}  // namespace ganscale
