#include "markup/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ganscale::markup {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Drawing, IsADocumentWithATitleAndContent) {
  const std::string svg = drawing(960, 380, "a & b", line(0, 1, 2, 3, "grid"));
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 380\""));
  EXPECT_THAT(svg, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(svg,
              EndsWith("<line x1=\"0.0\" x2=\"2.0\" y1=\"1.0\" y2=\"3.0\" class=\"grid\"/></svg>"));
}

TEST(Drawing, HasColorsForLightAndDark) {
  const std::string svg = drawing(1, 1, "", "");
  EXPECT_THAT(svg, HasSubstr(".s1{color:#2864dc}"));
  EXPECT_THAT(svg, testing::ContainsRegex("prefers-color-scheme:dark.*\\.s1\\{color:#7aa7ff\\}"));
}

TEST(Area, ShowsItsTitleIfItHasOne) {
  EXPECT_EQ(area({1, 2, 3, 4, "s2", "a < b"}),
            "<rect x=\"1.0\" y=\"2.0\" width=\"3.0\" height=\"4.0\" class=\"area s2\">"
            "<title>a &lt; b</title></rect>");
  EXPECT_EQ(area({.width = 3, .height = 4, .color = "s5"}),
            "<rect x=\"0.0\" y=\"0.0\" width=\"3.0\" height=\"4.0\" class=\"area s5\"/>");
}

TEST(Point, ShowsItsTitleIfItHasOne) {
  EXPECT_EQ(
      point(1, 2, "s1", "8 GPUs"),
      "<circle cx=\"1.0\" cy=\"2.0\" r=\"4\" class=\"area s1\"><title>8 GPUs</title></circle>");
  EXPECT_THAT(point(1, 2, "s1"), EndsWith("/>"));
}

}  // namespace
}  // namespace ganscale::markup
