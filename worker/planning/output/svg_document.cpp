#include "planning/output/svg_document.h"

#include <fmt/format.h>

namespace ganscale::planning {
namespace {

constexpr int kWidth = 960;
constexpr auto kStyle =
    "<style>text{font:12px system-ui,sans-serif;fill:#1b1f27}.soft{fill:#667085}"
    ".title{font-size:15px;font-weight:600}line{stroke:#e3e6ec}"
    "path{fill:none;stroke-width:2;stroke:#2864dc}.ideal{stroke:#667085;stroke-width:1.2;"
    "stroke-dasharray:5 4}circle{fill:#2864dc}.middle{text-anchor:middle}.end{text-anchor:end}"
    "</style>";

}  // namespace

markup::Attributes css(const std::string& classes) { return {{"class", classes}}; }

std::string grid_line(double x1, double y1, double x2, double y2) {
  using markup::coordinate;
  return markup::empty_element("line", {{"x1", coordinate(x1)},
                                        {"x2", coordinate(x2)},
                                        {"y1", coordinate(y1)},
                                        {"y2", coordinate(y2)}});
}

std::string svg_document(std::string_view title, std::string_view plots) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\">",
             kWidth, kPlotsHeight) +
         kStyle +
         fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>", kWidth, kPlotsHeight) +
         markup::label(20, 24, css("title"), title) + std::string(plots) + "</svg>\n";
}

}  // namespace ganscale::planning
