#include "object/json.h"

namespace ganscale::controller {

Json parse_json(std::string_view text) {
  constexpr int kDeepestLevel = 100;
  const auto keep = [](int depth, Json::parse_event_t event, const Json&) {
    const bool begins =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    return !begins || depth < kDeepestLevel;
  };
  return Json::parse(text, keep, /*allow_exceptions=*/false);
}

std::string shown(const Json& value) {
  constexpr std::size_t kLongestBytes = 200;
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  if (text.size() > kLongestBytes) text = text.substr(0, kLongestBytes) + "...";
  return text;
}

}  // namespace ganscale::controller
