#include "definition/definition.h"

#include "base/utf8.h"
#include "definition/built_in.h"
#include "definition/schema.h"
#include "object/fields.h"
#include "object/yaml.h"

namespace ganscale::controller {
namespace {

/// What the API server asks of the metadata of every object.
constexpr auto kMetadata = R"(
type: object
x-kubernetes-preserve-unknown-fields: true
properties:
  namespace: {type: string, maxLength: 63, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$'}
  labels:
    type: object
    additionalProperties: {type: string, maxLength: 63, pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$'}
  annotations:
    type: object
    additionalProperties: {type: string}
)";

/// Returns what is wrong with the keys of labels and annotations, which no schema says. Those of
/// annotations may be in any case.
std::vector<std::string> key_faults(const Json& metadata) {
  std::vector<std::string> faults;
  for (const std::string field : {"labels", "annotations"}) {
    const Json map = metadata.value(field, Json::object());
    for (const auto& [key, ignored] : map.items()) {
      const auto fault = qualified_name_fault(field == "labels" ? key : in_lower_case(key));
      if (!fault.empty()) faults.push_back("metadata." + field + ": " + fault);
    }
  }
  return faults;
}

}  // namespace

Definition::Definition(const Json& definition) {
  const Json& spec = definition.at("spec");
  const Json& version = spec.at("versions").at(0);
  kind_ = spec.at("names").at("kind");
  api_version_ = spec.at("group").get<std::string>() + "/" + version.at("name").get<std::string>();
  schema_ = version.at("schema").at("openAPIV3Schema");
  require_known_keywords(schema_);
  rules_ = parse_rules(schema_);
  schema_["properties"]["metadata"] = read_yaml(kMetadata, "metadata").at(0);
  schema_["properties"]["apiVersion"]["enum"] = Json::array({api_version_});
  schema_["required"].push_back("apiVersion");
}

std::vector<std::string> Definition::faults(Json object, const Json& old) const {
  if (object.is_object()) object.erase("status");
  object = with_defaults(std::move(object), schema_);
  std::vector<std::string> faults = schema_faults(object, schema_, "");
  if (faults.empty()) faults = key_faults(object.value("metadata", Json::object()));
  return faults.empty() ? rule_faults(rules_, object, old) : faults;
}

std::vector<Definition> built_in_definitions() {
  std::vector<Definition> definitions;
  for (const auto& [name, text] : built_in_definition_texts()) {
    definitions.emplace_back(read_yaml(text, name + ".yaml").at(0));
  }
  return definitions;
}

}  // namespace ganscale::controller
