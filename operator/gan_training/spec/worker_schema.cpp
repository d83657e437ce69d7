#include "gan_training/spec/worker_schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/error.h"
#include "base/joined.h"
#include "base/nearest.h"
#include "config/renamed.h"
#include "object/json.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// Returns training of valijson's "[training]".
std::string key_in(const std::string& place) { return place.substr(1, place.size() - 2); }

/// Turns valijson's path <root>[training][batch] into config.training.batch.
std::string dotted(const std::vector<std::string>& context) {
  std::string path = "config";
  for (std::size_t i = 1; i < context.size(); ++i) {
    path += "." + key_in(context[i]);
  }
  return path;
}

/// Whether a description only repeats a fault for a level above, as valijson does for each.
bool is_echo(const std::string& description) {
  return description.starts_with("Failed to validate against schema associated with property") ||
         description.starts_with("Failed to validate against child schema") ||
         description.starts_with("Failed to validate against a conditional schema") ||
         description.starts_with("Failed to validate item #");
}

/// Returns the key that valijson quotes at the end of such a description; empty for another one.
std::string unknown_key(const std::string& description) {
  if (!description.starts_with("Object contains a property that")) return "";
  const auto begin = description.find(": '") + 3;
  return description.substr(begin, description.rfind('\'') - begin);
}

/// Returns the value at a place of valijson's; an enclosing one if there is none.
const Json& value_at(const Json& config, const std::vector<std::string>& context) {
  const Json* value = &config;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const std::string key = key_in(context[i]);
    const Json::json_pointer pointer = Json::json_pointer() / key;
    if (!value->contains(pointer)) break;
    value = &value->at(pointer);
  }
  return *value;
}

/// Returns the schema of the value at a place of valijson's; an empty one if there is none.
Json schema_at(const Json& root, const std::vector<std::string>& context) {
  const Json* schema = &root;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const std::array<Json::json_pointer, 3> places = {
        Json::json_pointer("/properties") / key_in(context[i]), Json::json_pointer("/items"),
        Json::json_pointer("/then/items")};  // of a value that may be a list
    const auto inner = std::ranges::find_if(
        places, [schema](const Json::json_pointer& place) { return schema->contains(place); });
    if (inner == places.end()) return Json::object();
    schema = &schema->at(*inner);
  }
  return *schema;
}

/// Returns " (did you mean batch?)"; without a similar key, the known ones.
std::string suggestion(const std::string& key, const std::string& path, const Json& schema) {
  const std::string section = path.substr(std::min(path.size(), std::string("config.").size()));
  const auto new_name = config::new_name_of_key(section + "." + key);
  if (new_name) return " (renamed to " + std::string(*new_name) + ")";
  std::vector<std::string> known;
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, ignored] : properties.items()) known.push_back(name);
  if (const auto other = nearest(key, known)) return " (did you mean " + *other + "?)";
  return " (known: " + joined(known) + ")";
}

/// Returns what a number is to be: "above 0", "of at least 1 and at most 64".
std::string bounds_in(const Json& schema) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kBounds{
      {{"minimum", "of at least "},
       {"exclusiveMinimum", "above "},
       {"maximum", "at most "},
       {"exclusiveMaximum", "below "}}};
  std::vector<std::string> bounds;
  for (const auto& [key, words] : kBounds) {
    if (schema.contains(key)) bounds.push_back(words + schema[key].dump());
  }
  return joined(bounds, " and ");
}

/// Returns what values of a schema's type are.
std::string type_in(const Json& schema) {
  static const std::map<std::string, std::string> kTypes{{"boolean", "true or false"},
                                                         {"integer", "an integer"},
                                                         {"number", "a number"},
                                                         {"array", "a list"},
                                                         {"object", "a map of keys"}};
  const auto type = kTypes.find(text_at(schema, "/type"));
  return type == kTypes.end() ? "a text" : type->second;
}

/// Returns what a schema expects in place of a value.
std::string expected(const Json& schema, const Json& value) {
  if (schema.contains("enum")) return "one of " + schema["enum"].dump();
  const std::string bounds = value.is_number() ? bounds_in(schema) : "";
  const bool has_title = schema.contains("title") && text_at(schema, "/type") != "object";
  const std::string form = has_title ? text_at(schema, "/title") : type_in(schema);
  return bounds.empty() ? form : form + (has_title ? ", " : " ") + bounds;
}

/// Whether a value is one that the schema of its key names, though not with another key's value.
bool is_named(const Json& value, const Json& schema) {
  const Json named = schema.value("enum", Json::array());
  return std::ranges::find(named, value) != named.end();
}

/// Whether a value is refused because of another key's.
bool is_refused_here(const std::string& description, const Json& value, const Json& schema) {
  return description.starts_with("Failed to match against any enum") &&
         (!schema.contains("enum") || is_named(value, schema));
}

/// Whether a rule of the schema refuses a configuration; not if the rule refers to other parts of
/// the schema, and so means nothing by itself.
bool refuses(const Json& rule, const Json& config) {
  valijson::Schema schema;
  try {
    valijson::SchemaParser().populateSchema(Adapter(rule), schema);
  } catch (const std::exception&) {
    return false;
  }
  return !valijson::Validator().validate(schema, Adapter(config), nullptr);
}

/// Returns ", expected one of [...]" with the values that other keys leave at a place of valijson's;
/// empty if these are not known.
std::string values_left(const Json& root, const std::vector<std::string>& context,
                        const Json& config) {
  const Json rules = root.value("allOf", Json::array());
  for (const Json& rule : rules) {
    if (!rule.contains("then")) continue;
    const Json schema = schema_at(rule["then"], context);
    const Json& values = schema.contains("else") ? schema["else"] : schema;  // not of a list
    if (values.contains("enum") && refuses(rule, config))
      return ", expected one of " + values["enum"].dump();
  }
  return "";
}

/// Returns what is wrong with a value, in the worker's words.
std::string in_words(const std::string& description, const Json& value, const Json& schema) {
  if (schema.empty()) return description.substr(0, description.find_last_not_of('.') + 1);
  return "expected " + expected(schema, value);
}

/// Returns a fault with the value at its place, if that is a scalar.
std::string fault_text(const valijson::ValidationResults::Error& error, const Json& config,
                       const Json& root) {
  const std::string path = dotted(error.context);
  const Json schema = schema_at(root, error.context);
  const std::string key = unknown_key(error.description);
  if (!key.empty()) return path + ": unknown key: " + key + suggestion(key, path, schema);
  const Json& value = value_at(config, error.context);
  const std::string fault = path + ": " +
                            (is_refused_here(error.description, value, schema)
                                 ? "not allowed here" + values_left(root, error.context, config)
                                 : in_words(error.description, value, schema));
  return value.is_structured() ? fault : fault + ": " + shown(value);
}

}  // namespace

struct WorkerSchema::Rules {
  Json json;
  valijson::Schema schema;
};

WorkerSchema::WorkerSchema(const std::string& schema) : rules_(std::make_unique<Rules>()) {
  rules_->json = Json::parse(schema, nullptr, /*allow_exceptions=*/false);
  if (!rules_->json.is_object()) throw ConfigError("the worker's schema is not a JSON object");
  try {
    valijson::SchemaParser().populateSchema(Adapter(rules_->json), rules_->schema);
  } catch (const std::exception& error) {
    throw ConfigError(std::string("the worker's schema is not a JSON schema: ") + error.what());
  }
}

WorkerSchema::~WorkerSchema() = default;

std::vector<std::string> WorkerSchema::faults(const Json& config) const {
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(rules_->schema, Adapter(config), &results)) return {};
  std::vector<std::string> faults;
  for (const auto& error : results) {
    if (!is_echo(error.description)) faults.push_back(fault_text(error, config, rules_->json));
  }
  return faults;
}

}  // namespace ganscale::controller::gan_training
