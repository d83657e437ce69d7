#include "scaling_sweep/desired/drawing.h"

#include "scaling_sweep/desired/figures.h"

namespace ganscale::controller::scaling_sweep {

using markup::element;

markup::Attributes anchored(const char* anchor) {
  return {{"text-anchor", anchor}, {"fill", "#333"}};
}

std::string drawing(double width, double height, const std::string& title,
                    const std::string& content) {
  return element("svg",
                 {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"viewBox", "0 0 " + number(width, 0) + " " + number(height, 0)},
                  {"font-family", "system-ui, sans-serif"},
                  {"font-size", "13"},
                  {"role", "img"}},
                 element("title", {}, title) +
                     element("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#fff"}}) +
                     content);
}

}  // namespace ganscale::controller::scaling_sweep
