#include "markup/drawing.h"

#include <fmt/format.h>

#include "markup/plot.h"

namespace ganscale::markup {
namespace {

// The colors of the report's page (report/page/page.css), without variables: programs that convert
// drawings don't know them.
constexpr std::string_view kStyle =
    ".drawing{font:12px system-ui,sans-serif}.paper{fill:#fff}"
    ".drawing text{fill:#1b1f27}.drawing .soft{fill:#667085}"
    ".title{font-size:15px;font-weight:600}.middle{text-anchor:middle}.end{text-anchor:end}"
    ".grid{stroke:#e3e6ec}.line{fill:none;stroke:currentColor;stroke-width:2}"
    ".ideal{fill:none;stroke:currentColor;stroke-width:1.2;stroke-dasharray:5 4}"
    ".area{fill:currentColor}"
    ".s1{color:#2864dc}.s2{color:#d9650b}.s3{color:#0d8a72}.s4{color:#8a4fd3}.s5{color:#667085}"
    "@media(prefers-color-scheme:dark){.paper{fill:#181c25}"
    ".drawing text{fill:#e8ebf1}.drawing .soft{fill:#98a2b3}.grid{stroke:#2a303c}"
    ".s1{color:#7aa7ff}.s2{color:#ffa45c}.s3{color:#4fd6b8}.s4{color:#c39bff}.s5{color:#98a2b3}}";

/// Returns an element of data, with a title if there is one.
std::string with_title(std::string_view name, const Attributes& attributes,
                       std::string_view title) {
  if (title.empty()) return empty_element(name, attributes);
  return element(name, attributes, element("title", {}, escaped(title)));
}

}  // namespace

std::string drawing(double width, double height, std::string_view title, std::string_view content) {
  const Attributes attributes{{"xmlns", "http://www.w3.org/2000/svg"},
                              {"viewBox", fmt::format("0 0 {:.0f} {:.0f}", width, height)},
                              {"class", "drawing"},
                              {"role", "img"}};
  return element(
      "svg", attributes,
      element("title", {}, escaped(title)) + element("style", {}, kStyle) +
          empty_element("rect", {{"width", "100%"}, {"height", "100%"}, {"class", "paper"}}) +
          std::string(content));
}

Attributes css(const std::string& classes) { return {{"class", classes}}; }

std::string line(double x1, double y1, double x2, double y2, const std::string& classes) {
  return empty_element("line", {{"x1", coordinate(x1)},
                                {"x2", coordinate(x2)},
                                {"y1", coordinate(y1)},
                                {"y2", coordinate(y2)},
                                {"class", classes}});
}

std::string area(const Area& area) {
  return with_title("rect",
                    {{"x", coordinate(area.x)},
                     {"y", coordinate(area.y)},
                     {"width", coordinate(area.width)},
                     {"height", coordinate(area.height)},
                     {"class", "area " + area.color}},
                    area.title);
}

std::string point(double x, double y, const std::string& color, std::string_view title) {
  return with_title(
      "circle",
      {{"cx", coordinate(x)}, {"cy", coordinate(y)}, {"r", "4"}, {"class", "area " + color}},
      title);
}

}  // namespace ganscale::markup
