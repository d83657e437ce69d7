#include "scaling_sweep/desired/markup.h"

#include <cmath>
#include <cstdio>

namespace ganscale::controller::scaling_sweep {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string number(double value, int decimals) {
  if (!std::isfinite(value)) return "–";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string ranks_text(int ranks) {
  return std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
}

std::string element(const char* name, const Attributes& attributes, const std::string& content) {
  std::string text = std::string("<") + name;
  for (const auto& [key, value] : attributes) {
    text += std::string(" ") + key + "=\"" + escaped(value) + "\"";
  }
  return text + ">" + content + "</" + name + ">";
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return element(
      "text", {{"x", number(x, 1)}, {"y", number(y, 1)}, {"text-anchor", anchor}, {"fill", "#333"}},
      escaped(text));
}

}  // namespace ganscale::controller::scaling_sweep
