#include "base/utf8.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace ganscale {

std::string valid_utf8(const std::string& text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

}  // namespace ganscale
