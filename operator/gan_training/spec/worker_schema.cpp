#include "gan_training/spec/worker_schema.h"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/error.h"

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
         description.starts_with("Failed to validate against a conditional schema");
}

/// Returns what valijson says of a value, without its full stop.
std::string in_words(const std::string& description) {
  if (description.starts_with("Failed to match against any enum")) return "not allowed here";
  return description.substr(0, description.find_last_not_of('.') + 1);
}

/// Returns a fault with the value at its place, if that is a scalar.
std::string fault_text(const valijson::ValidationResults::Error& error, const Json& config) {
  const Json* value = &config;
  for (std::size_t i = 1; i < error.context.size() && value->is_object(); ++i) {
    const auto found = value->find(key_in(error.context[i]));
    if (found == value->end()) break;
    value = &*found;
  }
  const std::string fault = dotted(error.context) + ": " + in_words(error.description);
  return value->is_structured() ? fault : fault + ": " + value->dump();
}

}  // namespace

struct WorkerSchema::Rules {
  valijson::Schema schema;
};

WorkerSchema::WorkerSchema(const std::string& schema) : rules_(std::make_unique<Rules>()) {
  const Json json = Json::parse(schema, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw ConfigError("the worker's schema is not a JSON object");
  try {
    valijson::SchemaParser().populateSchema(Adapter(json), rules_->schema);
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
    if (!is_echo(error.description)) faults.push_back(fault_text(error, config));
  }
  return faults;
}

}  // namespace ganscale::controller::gan_training
