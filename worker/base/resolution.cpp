#include "base/resolution.h"

namespace ganscale {

std::string text_of(const Resolution& resolution) {
  return std::to_string(resolution.height) + "x" + std::to_string(resolution.width);
}

std::string short_text_of(const Resolution& resolution) {
  return resolution.is_square() ? std::to_string(resolution.height) : text_of(resolution);
}

}  // namespace ganscale
