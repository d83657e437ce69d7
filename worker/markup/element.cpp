#include "markup/element.h"

namespace ganscale::markup {
namespace {

std::string opened(std::string_view name, const Attributes& attributes) {
  std::string text = "<" + std::string(name);
  for (const auto& [key, value] : attributes) {
    text.append(" ").append(key).append("=\"").append(escaped(value)).append("\"");
  }
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string element(std::string_view name, const Attributes& attributes, std::string_view content) {
  std::string text = opened(name, attributes) + ">";
  return text.append(content).append("</").append(name).append(">");
}

std::string empty_element(std::string_view name, const Attributes& attributes) {
  return opened(name, attributes) + "/>";
}

}  // namespace ganscale::markup
