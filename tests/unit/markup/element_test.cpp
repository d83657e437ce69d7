#include "markup/element.h"

#include <gtest/gtest.h>

namespace ganscale::markup {
namespace {

TEST(Escaped, ReplacesWhatMarkupReads) {
  EXPECT_EQ(escaped("<a href=\"x\">'&'"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
  EXPECT_EQ(escaped("R² of 8 GPUs"), "R² of 8 GPUs");
}

TEST(Element, HasItsAttributesInTheirOrder) {
  EXPECT_EQ(element("b", {}, "x"), "<b>x</b>");
  EXPECT_EQ(element("i", {{"style", "width:5%"}}), "<i style=\"width:5%\"></i>");
  EXPECT_EQ(empty_element("line", {{"y", "1"}, {"x", "2"}}), "<line y=\"1\" x=\"2\"/>");
}

TEST(Element, EscapesValuesAndNotContent) {
  EXPECT_EQ(element("a", {{"title", "'<'"}}, "<b>&amp;</b>"),
            "<a title=\"&#39;&lt;&#39;\"><b>&amp;</b></a>");
}

}  // namespace
}  // namespace ganscale::markup
