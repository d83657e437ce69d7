#include "planning/output/svg_document.h"

#include "planning/output/format.h"
#include "report/page/html_text.h"

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

std::string label(double x, double y, std::string_view css, std::string_view text) {
  return format("<text x=\"%.1f\" y=\"%.1f\" class=\"", x, y) + std::string(css) + "\">" +
         report::escape_html(text) + "</text>";
}

std::string grid_line(double x1, double y1, double x2, double y2) {
  return format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x1, x2, y1, y2);
}

std::string svg_document(std::string_view title, std::string_view plots) {
  return format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">",
                kWidth, kPlotsHeight) +
         kStyle + format("<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>", kWidth, kPlotsHeight) +
         label(20, 24, "title", title) + std::string(plots) + "</svg>\n";
}

}  // namespace ganscale::planning
