#include "object/condition.h"

#include <algorithm>

#include "object/lookup.h"

namespace ganscale::controller {
namespace {

bool has_type(const Json& entry, std::string_view type) { return text_at(entry, "/type") == type; }

}  // namespace

void set_condition(Json& status, const Condition& condition, std::int64_t generation, Time now) {
  Json& conditions = status["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  Json entry = {{"type", condition.type},
                {"status", condition.holds ? "True" : "False"},
                {"reason", condition.reason.empty() ? "Unknown" : condition.reason},
                {"message", condition.message},
                {"observedGeneration", generation},
                {"lastTransitionTime", format_time(now)}};
  const auto old = std::ranges::find_if(
      conditions, [&](const Json& it) { return has_type(it, condition.type); });
  if (old == conditions.end()) {
    conditions.push_back(entry);
    return;
  }
  const bool is_same = old->value("status", Json()) == entry["status"];
  if (is_same && old->contains("lastTransitionTime")) {
    entry["lastTransitionTime"] = (*old)["lastTransitionTime"];
  }
  *old = entry;
}

Json find_condition(const Json& status, std::string_view type) {
  if (!status.is_object()) return nullptr;
  for (const Json& entry : status.value("conditions", Json::array())) {
    if (has_type(entry, type)) return entry;
  }
  return nullptr;
}

}  // namespace ganscale::controller
