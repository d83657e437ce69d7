#include "planning/output/svg_document.h"

#include "markup/drawing.h"

namespace ganscale::planning {

std::string svg_document(std::string_view title, std::string_view plots) {
  constexpr double kWidth = 960;
  return markup::drawing(kWidth, kPlotsHeight, title,
                         markup::label(20, 24, markup::css("title"), title) + std::string(plots)) +
         "\n";
}

}  // namespace ganscale::planning
