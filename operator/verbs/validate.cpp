#include <CLI/App.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/joined.h"
#include "definition/definition.h"
#include "object/key.h"
#include "verbs/documents.h"
#include "verbs/verbs.h"

namespace ganscale::controller {
namespace {

constexpr auto kValidateExample =
    "\nExample:\n  ganscale-operator validate -f my-training.yaml   # exit code 78 if it is "
    "refused";

/// Throws ConfigError for an object that the API server would refuse. Objects without a definition
/// of ours are the operator's own.
void require_accepted(const Json& object, const std::vector<Definition>& definitions) {
  const auto definition =
      std::ranges::find(definitions, object.value("kind", ""), &Definition::kind);
  if (definition == definitions.end()) return;
  const auto faults = definition->faults(object);
  if (!faults.empty()) throw ConfigError(key_of(object).text() + ": " + joined(faults, "; "));
}

ExitCode validate(const DocumentOptions& options) {
  const std::vector<Definition> definitions = built_in_definitions();
  for_each_document(options, [&](const auto& kind, const Json& document, const auto& context) {
    // The operator's own messages come first: they say more than a schema's.
    const std::string description = kind.describe(document, context);
    require_accepted(document, definitions);
    for (const Json& object : kind.render(document, context).objects) {
      require_accepted(object, definitions);  // the trainings of a sweep
    }
    std::cout << description << "\n";
  });
  return ExitCode::kOk;
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "validate",
      "Check GanTrainings and ScalingSweeps as the API server and the operator will; needs no "
      "cluster");
  verb->footer(kValidateExample);
  const auto options = std::make_shared<DocumentOptions>();
  add_document_options(*verb, *options);
  verb->callback([&action, options] { action = [options] { return validate(*options); }; });
}

}  // namespace ganscale::controller
