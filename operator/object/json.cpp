#include "object/json.h"

#include <iterator>

namespace ganscale::controller {
namespace {

/// Erases the members that the parser has left out: it keeps the keys of arrays.
void erase_discarded(Json& object) {
  for (auto it = object.begin(); it != object.end();) {
    it = it->is_discarded() ? object.erase(it) : std::next(it);
  }
}

}  // namespace

Json parse_json(std::string_view text) {
  constexpr int kDeepestLevel = 100;
  const auto keep = [](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_end && depth == kDeepestLevel - 1) erase_discarded(parsed);
    const bool begins = event == Event::object_start || event == Event::array_start;
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
