#include "config/schema.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "config/units.h"

namespace ganscale::config {
namespace {

using Json = nlohmann::ordered_json;
using Assignments = std::vector<std::string>;

std::vector<Entry> entries_under(const std::function<void(Section)>& parse,
                                 const Assignments& assignments) {
  Node node{.value = Node::Map{}, .location = {"schema", 0}};
  for (const auto& assignment : assignments) overlay(node, parse_assignment(assignment));
  const Section root = Section::describing(std::move(node));
  try {
    parse(root);
  } catch (const Error&) {
    // This choice needs other keys as well. Those read so far count.
  }
  return root.entries();
}

/// Adds an entry, or the new values of its choice. What limits its values must do so with every
/// choice.
void add(std::vector<Entry>& all, const Entry& entry) {
  const auto known = std::ranges::find(all, entry.path, &Entry::path);
  if (known == all.end()) {
    all.push_back(entry);
    return;
  }
  known->limits.bounds = within_either(known->limits.bounds, entry.limits.bounds);
  if (entry.limits.pattern != known->limits.pattern) known->limits.pattern = "";
  for (const auto& word : entry.choices) {
    if (std::ranges::find(known->choices, word) == known->choices.end()) {
      known->choices.push_back(word);
    }
  }
}

/// Returns the schema of a list whose items have this type.
Json list_of(const char* type) { return {{"type", "array"}, {"items", {{"type", type}}}}; }

/// Returns the schema of a side, or of a height and a width.
Json resolution_schema() {
  Json schema = list_of("integer");
  schema["type"] = {"integer", "array"};
  schema["minItems"] = schema["maxItems"] = 2;
  schema["title"] = form_of("resolution");
  return schema;
}

/// Returns the schema of a text in units, or of its number.
Json quantity_schema(std::string_view type, const std::string& pattern) {
  return {{"type", {"number", "string"}}, {"pattern", pattern}, {"title", form_of(type)}};
}

/// Returns the schema of a choice. YAML has booleans where a choice has these words.
Json choice_schema(const std::vector<std::string>& choices) {
  Json allowed = choices;
  for (const auto& word : choices) {
    if (word == "true" || word == "false") allowed.push_back(word == "true");
  }
  return {{"enum", std::move(allowed)}};
}

Json type_of(const Entry& entry) {
  static const std::map<std::string, Json> kSchemas = {
      {"bool", {{"type", "boolean"}}},
      {"integer", {{"type", "integer"}}},
      {"number", {{"type", "number"}}},
      {"bytes", quantity_schema("bytes", bytes_pattern())},
      {"duration", quantity_schema("duration", seconds_pattern())},
      {"resolution", resolution_schema()},
      {"integers", list_of("integer")},
      {"numbers", list_of("number")},
      {"strings", {{"type", "array"}}}};
  if (entry.type == "choice") return choice_schema(entry.choices);
  const auto found = kSchemas.find(entry.type);
  if (found != kSchemas.end()) return found->second;
  return {{"type", {"string", "number", "boolean"}}};  // any scalar is text
}

Json number_json(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? Json(whole) : Json(number);
}

/// Returns the schema of a value, with all that limits it.
Json value_schema(const Entry& entry) {
  Json schema = type_of(entry);
  const bool is_quantity = entry.type == "bytes" || entry.type == "duration";
  const Bounds bounds = within_both(entry.limits.bounds, is_quantity ? at_least(0) : Bounds{});
  if (std::isfinite(bounds.lowest))
    schema[bounds.excludes_lowest ? "exclusiveMinimum" : "minimum"] = number_json(bounds.lowest);
  if (std::isfinite(bounds.highest))
    schema[bounds.excludes_highest ? "exclusiveMaximum" : "maximum"] = number_json(bounds.highest);
  if (!entry.limits.pattern.empty()) {
    Json& text = schema.value("type", Json()) == "array" ? schema["items"] : schema;
    text["pattern"] = entry.limits.pattern;
    text["title"] = entry.limits.form;
  }
  schema["description"] = entry.documentation;
  return schema;
}

/// Returns the schema of the map that holds the last key of a dotted path.
Json& parent_of(Json& root, std::string& path) {
  Json* map = &root;
  for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
    Json& section = (*map)["properties"][path.substr(0, dot)];
    if (section.is_null()) section = {{"type", "object"}, {"additionalProperties", false}};
    map = &section;
    path.erase(0, dot + 1);
  }
  return *map;
}

/// Returns the schema of a root in which the value of a dotted path has this schema.
///
/// is_written: the value must be there.
Json within(std::string_view path, bool is_written, Json schema) {
  while (!path.empty()) {
    const auto dot = path.rfind('.');
    const std::string key(path.substr(dot + 1));
    schema = {{"properties", {{key, std::move(schema)}}}};
    if (is_written) schema["required"] = Json::array({key});
    path = path.substr(0, dot == path.npos ? 0 : dot);
  }
  return schema;
}

/// Returns what holds if the choice has its value, and if it has it by default.
std::vector<Json> conditions_of(const Restriction& restriction) {
  Json chosen = within(restriction.choice, true, {{"const", restriction.value}});
  if (restriction.default_without.empty()) return {chosen};
  Json written = Json::array();
  for (const auto& key : restriction.default_without)
    written.push_back(Json{{"required", Json::array({key})}});
  const std::string section = restriction.choice.substr(0, restriction.choice.rfind('.'));
  return {chosen, within(section, false, Json{{"not", {{"anyOf", std::move(written)}}}})};
}

Json to_json(const std::vector<Restriction>& restrictions) {
  Json all = Json::array();
  for (const Restriction& restriction : restrictions) {
    Json allowed = Json::array();
    for (const auto& value : restriction.allowed)
      std::visit([&](const auto& known) { allowed.push_back(known); }, value);
    Json values = {{"enum", std::move(allowed)}};
    if (restriction.allows_pairs) {
      const Json of_pairs = {{"items", values}};
      values = {{"if", {{"type", "array"}}}, {"then", of_pairs}, {"else", values}};
    }
    const Json then = within(restriction.key, false, std::move(values));
    for (Json& condition : conditions_of(restriction)) {
      all.push_back({{"if", std::move(condition)}, {"then", then}});
    }
  }
  return all;
}

}  // namespace

std::vector<Entry> all_entries(const std::function<void(Section)>& parse) {
  std::vector<Entry> all;
  std::set<std::string> tried;
  std::deque<Assignments> waiting{{}};
  while (!waiting.empty()) {
    const Assignments assignments = waiting.front();
    waiting.pop_front();
    for (const Entry& entry : entries_under(parse, assignments)) {
      add(all, entry);
      for (const auto& word : entry.choices) {
        if (!tried.insert(entry.path + "=" + word).second) continue;
        waiting.push_back(assignments);
        waiting.back().push_back(entry.path + "=" + word);
      }
    }
  }
  return all;
}

std::string to_json_schema(const std::vector<Entry>& entries,
                           const std::vector<Restriction>& restrictions) {
  Json root = {{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "ganscale configuration"},
               {"type", "object"},
               {"additionalProperties", false}};
  for (const Entry& entry : entries) {
    std::string key = entry.path;
    Json& map = parent_of(root, key);
    map["properties"][key] = value_schema(entry);
  }
  if (!restrictions.empty()) root["allOf"] = to_json(restrictions);
  return root.dump(1) + "\n";
}

}  // namespace ganscale::config
