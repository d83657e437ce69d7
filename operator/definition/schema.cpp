#include "definition/schema.h"

#include <algorithm>
#include <array>
#include <limits>
#include <regex>
#include <set>

#include "base/error.h"
#include "object/characters.h"

namespace ganscale::controller {
namespace {

/// Keywords that say where further schemas are, and others that are not conditions.
constexpr std::array<std::string_view, 8> kOtherKeywords{
    "additionalProperties",
    "default",
    "description",
    "items",
    "properties",
    "x-kubernetes-list-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
};

std::string type_fault(const Json& value, const Json& type) {
  const bool fits = type == "object"    ? value.is_object()
                    : type == "array"   ? value.is_array()
                    : type == "string"  ? value.is_string()
                    : type == "boolean" ? value.is_boolean()
                    : type == "integer" ? value.is_number_integer()
                                        : value.is_number();
  return fits ? "" : "must be of type " + type.get<std::string>();
}

std::string enum_fault(const Json& value, const Json& allowed) {
  return std::ranges::count(allowed, value) > 0 ? "" : "must be one of " + allowed.dump();
}

std::string format_fault(const Json& value, const Json& format) {
  if (format != "int32") return "";
  const auto whole = value.get<std::int64_t>();
  const bool fits = whole >= std::numeric_limits<std::int32_t>::min() &&
                    whole <= std::numeric_limits<std::int32_t>::max();
  return fits ? "" : "must be an integer of 32 bits";
}

std::string pattern_fault(const Json& value, const Json& pattern) {
  const auto text = pattern.get<std::string>();
  return std::regex_search(value.get_ref<const std::string&>(), std::regex(text))
             ? ""
             : "must match " + text;
}

std::string count_fault(bool fits, const char* bound, const Json& limit, const char* what) {
  return fits ? "" : std::string("must have ") + bound + " " + limit.dump() + " " + what;
}

std::size_t characters(const Json& value) {
  return character_count(value.get_ref<const std::string&>());
}

std::string required_fault(const Json& value, const Json& names) {
  for (const Json& name : names) {
    if (!value.contains(name.get<std::string>())) return "misses " + name.get<std::string>();
  }
  return "";
}

std::string repeated_fault(const Json& value, const Json& keys) {
  std::set<Json> seen;
  for (const Json& item : value) {
    Json identity = Json::array();
    for (const Json& key : keys) identity.push_back(item.value(key.get<std::string>(), Json()));
    if (!seen.insert(identity).second) return "has the same " + keys.dump() + " twice";
  }
  return "";
}

/// A keyword that is a condition.
struct Keyword {
  std::string_view name;
  /// Returns what is wrong with a value that it concerns; an empty text if nothing is.
  std::string (*fault)(const Json& value, const Json& argument);
  /// Whether it concerns a value: a schema without a type takes any. Null: it concerns all.
  bool (Json::*concerns)() const noexcept = nullptr;
};

// Only the first fault counts. Lengths come before patterns: std::regex recurses with the text.
constexpr std::array<Keyword, 12> kConditions{{
    {"type", type_fault},
    {"enum", enum_fault},
    {"format", format_fault, &Json::is_number},
    {"minimum",
     [](const Json& v, const Json& a) { return v >= a ? "" : "must be at least " + a.dump(); },
     &Json::is_number},
    {"maximum",
     [](const Json& v, const Json& a) { return v <= a ? "" : "must be at most " + a.dump(); },
     &Json::is_number},
    {"minLength",
     [](const Json& v, const Json& a) {
       return count_fault(characters(v) >= a.get<std::size_t>(), "at least", a, "characters");
     },
     &Json::is_string},
    {"maxLength",
     [](const Json& v, const Json& a) {
       return count_fault(characters(v) <= a.get<std::size_t>(), "at most", a, "characters");
     },
     &Json::is_string},
    {"pattern", pattern_fault, &Json::is_string},
    {"minItems",
     [](const Json& v, const Json& a) {
       return count_fault(v.size() >= a.get<std::size_t>(), "at least", a, "items");
     },
     &Json::is_array},
    {"maxItems",
     [](const Json& v, const Json& a) {
       return count_fault(v.size() <= a.get<std::size_t>(), "at most", a, "items");
     },
     &Json::is_array},
    {"maxProperties",
     [](const Json& v, const Json& a) {
       return count_fault(v.size() <= a.get<std::size_t>(), "at most", a, "keys");
     },
     &Json::is_object},
    {"required", required_fault, &Json::is_object},
}};

// After the items, of which it needs the keys.
constexpr Keyword kNoRepeats{"x-kubernetes-list-map-keys", repeated_fault};

bool is_known(std::string_view keyword) {
  return keyword == kNoRepeats.name || std::ranges::count(kOtherKeywords, keyword) > 0 ||
         std::ranges::count(kConditions, keyword, &Keyword::name) > 0;
}

/// Returns the schema of a field; null if it has none.
const Json* schema_of(const Json& schema, const std::string& field) {
  if (const auto known = schema.find("properties"); known != schema.end()) {
    if (const auto found = known->find(field); found != known->end()) return &*found;
  }
  const auto others = schema.find("additionalProperties");
  return others != schema.end() ? &*others : nullptr;
}

class Walk {
 public:
  void check(const Json& value, const Json& schema, const std::string& path) {
    for (const Keyword& condition : kConditions) {
      if (!holds(condition, value, schema, path)) return;
    }
    if (value.is_object()) check_fields(value, schema, path);
    if (value.is_array() && schema.contains("items")) check_items(value, schema, path);
  }
  std::vector<std::string> take() { return std::move(faults_); }

 private:
  bool holds(const Keyword& condition, const Json& value, const Json& schema,
             const std::string& path) {
    const auto argument = schema.find(condition.name);
    const bool concerns = condition.concerns == nullptr || (value.*condition.concerns)();
    if (argument == schema.end() || !concerns) return true;
    const std::string fault = condition.fault(value, *argument);
    if (fault.empty()) return true;
    faults_.push_back((path.empty() ? "" : path + ": ") + fault +
                      (value.is_structured() ? "" : ": " + shown(value)));
    return false;
  }

  void check_fields(const Json& value, const Json& schema, const std::string& path) {
    const bool takes_others = schema.value("x-kubernetes-preserve-unknown-fields", false);
    for (const auto& [name, field] : value.items()) {
      const std::string field_path = path.empty() ? name : path + "." + name;
      if (const Json* known = schema_of(schema, name)) {
        check(field, *known, field_path);
      } else if (!takes_others) {
        faults_.push_back(field_path + ": unknown field");
      }
    }
  }

  void check_items(const Json& value, const Json& schema, const std::string& path) {
    const std::size_t before = faults_.size();
    for (std::size_t i = 0; i < value.size(); ++i) {
      check(value[i], schema.at("items"), path + "[" + std::to_string(i) + "]");
    }
    if (faults_.size() == before) holds(kNoRepeats, value, schema, path);
  }

  std::vector<std::string> faults_;
};

/// As with_defaults(). A known field that is null counts as absent.
Json object_with_defaults(Json object, const Json& schema) {
  for (auto field = object.begin(); field != object.end();) {
    const Json* known = schema_of(schema, field.key());
    if (known != nullptr && field->is_null()) {
      field = object.erase(field);
      continue;
    }
    if (known != nullptr) *field = with_defaults(std::move(*field), *known);
    ++field;
  }
  const auto fields = schema.find("properties");
  if (fields == schema.end()) return object;
  for (const auto& [name, field] : fields->items()) {
    if (field.contains("default") && !object.contains(name)) object[name] = field["default"];
  }
  return object;
}

}  // namespace

void for_each_inner_schema(const Json& schema,
                           const std::function<void(const std::string&, const Json&)>& visit) {
  if (const auto fields = schema.find("properties"); fields != schema.end()) {
    for (const auto& [name, field] : fields->items()) visit(name, field);
  }
  for (const char* others : {"additionalProperties", "items"}) {
    if (schema.contains(others)) visit("", schema[others]);
  }
}

void require_known_keywords(const Json& schema) {
  for (const auto& [keyword, argument] : schema.items()) {
    if (!is_known(keyword)) throw ConfigError("a schema has an unknown keyword: " + keyword);
  }
  for_each_inner_schema(
      schema, [](const std::string&, const Json& inner) { require_known_keywords(inner); });
}

Json with_defaults(Json value, const Json& schema) {
  if (!schema.is_object()) return value;
  if (value.is_array() && schema.contains("items")) {
    for (Json& item : value) item = with_defaults(std::move(item), schema["items"]);
  }
  return value.is_object() ? object_with_defaults(std::move(value), schema) : value;
}

std::vector<std::string> schema_faults(const Json& value, const Json& schema,
                                       const std::string& path) {
  Walk walk;
  walk.check(value, schema, path);
  return walk.take();
}

}  // namespace ganscale::controller
