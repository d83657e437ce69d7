#include "report/log/line_values.h"

#include <algorithm>

namespace ganscale::report {
namespace {

using Json = nlohmann::ordered_json;

bool has_at_most(int levels, const Json& value) {
  if (!value.is_structured()) return true;
  return levels > 0 && std::all_of(value.begin(), value.end(), [levels](const Json& inner) {
           return has_at_most(levels - 1, inner);
         });
}

}  // namespace

Json parse_json(std::string_view text) {
  constexpr int kMostLevels = 100;
  Json json = Json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !has_at_most(kMostLevels, json)) return nullptr;
  return json;
}

const Json* find_at(const Json& object, const std::vector<std::string>& keys) {
  const Json* value = &object;
  for (const auto& key : keys) {
    const auto found = value->find(key);
    if (found == value->end()) return nullptr;
    value = &*found;
  }
  return value;
}

double number_in(const Json& object, const char* key, double fallback) {
  const auto member = object.find(key);
  return member != object.end() && member->is_number() ? member->get<double>() : fallback;
}

std::int64_t integer_in(const Json& object, const char* key, std::int64_t fallback) {
  const auto member = object.find(key);
  const bool is_there = member != object.end() && member->is_number_integer();
  return is_there ? member->get<std::int64_t>() : fallback;
}

std::string text_in(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

}  // namespace ganscale::report
