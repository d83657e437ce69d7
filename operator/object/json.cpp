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

}  // namespace ganscale::controller
