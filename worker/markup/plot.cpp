#include "markup/plot.h"

#include <fmt/format.h>

namespace ganscale::markup {

std::string coordinate(double value) { return fmt::format("{:.1f}", value); }

std::string label(double x, double y, const Attributes& style, std::string_view text) {
  Attributes attributes{{"x", coordinate(x)}, {"y", coordinate(y)}};
  attributes.insert(attributes.end(), style.begin(), style.end());
  return element("text", attributes, escaped(text));
}

}  // namespace ganscale::markup
