#include "object/names.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

enum class Color { kRed, kBlue, kNone };
constexpr Names<Color, 2> kColors{{{{Color::kRed, "Red"}, {Color::kBlue, "Blue"}}}};

TEST(Names, MapValuesToNamesAndBack) {
  EXPECT_STREQ(kColors.of(Color::kBlue), "Blue");
  EXPECT_EQ(kColors.value("Blue"), Color::kBlue);
}

TEST(Names, RefuseOtherValues) {
  EXPECT_STREQ(kColors.of(Color::kNone), "");
  EXPECT_EQ(kColors.value("blue"), std::nullopt);
}

}  // namespace
}  // namespace ganscale::controller
