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

/// Turns valijson's path <root>[training][batch] into config.training.batch.
std::string dotted(const std::vector<std::string>& context) {
  std::string path = "config";
  for (std::size_t i = 1; i < context.size(); ++i) {
    path += "." + context[i].substr(1, context[i].size() - 2);
  }
  return path;
}

/// Keeps the last line alone of the faults that valijson reports once more for each level above.
bool is_echo(const std::string& description) {
  return description.starts_with("Failed to validate against schema associated with property") ||
         description.starts_with("Failed to validate against child schema");
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
    if (!is_echo(error.description)) {
      faults.push_back(dotted(error.context) + ": " + error.description);
    }
  }
  return faults;
}

}  // namespace ganscale::controller::gan_training
