#include "object/json.h"

#include <iterator>

namespace ganscale::controller {
namespace {

/// Erases what the parser has left out of objects, of which it keeps the keys of arrays.
void erase_discarded(Json& value) {
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end();) {
      it = it->is_discarded() ? value.erase(it) : std::next(it);
    }
  }
  if (value.is_structured()) {
    for (Json& part : value) erase_discarded(part);
  }
}

}  // namespace

Json parse_json(std::string_view text) {
  constexpr int kDeepestLevel = 100;
  const auto keep = [](int depth, Json::parse_event_t event, const Json&) {
    const bool begins =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    return !begins || depth < kDeepestLevel;
  };
  Json value = Json::parse(text, keep, /*allow_exceptions=*/false);
  erase_discarded(value);
  return value;
}

std::string shown(const Json& value) {
  constexpr std::size_t kLongestBytes = 200;
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  if (text.size() > kLongestBytes) text = text.substr(0, kLongestBytes) + "...";
  return text;
}

}  // namespace ganscale::controller
