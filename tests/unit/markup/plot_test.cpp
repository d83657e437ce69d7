#include "markup/plot.h"

#include <gtest/gtest.h>

namespace ganscale::markup {
namespace {

TEST(Frame, PlacesSharesWithTheOriginAtTheBottomLeft) {
  const Frame frame{.left = 10, .top = 20, .width = 100, .height = 200};
  EXPECT_EQ(frame.right(), 110);
  EXPECT_EQ(frame.bottom(), 220);
  EXPECT_EQ(frame.x(0.25), 35);
  EXPECT_EQ(frame.y(0.25), 170);
}

TEST(Label, IsAnEscapedTextWithItsStyle) {
  EXPECT_EQ(label(1, 2.25, {{"class", "soft"}}, "a < b"),
            "<text x=\"1.0\" y=\"2.2\" class=\"soft\">a &lt; b</text>");
}

}  // namespace
}  // namespace ganscale::markup
