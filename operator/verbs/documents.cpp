#include "verbs/documents.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <ranges>

#include "base/error.h"
#include "base/joined.h"
#include "object/key.h"
#include "object/yaml.h"

namespace ganscale::controller {
namespace {

const RenderedKind& kind_of(const Json& document, const std::vector<RenderedKind>& kinds) {
  const std::string kind = document.is_object() ? document.value("kind", "") : "";
  const auto found = std::ranges::find(kinds, kind, &RenderedKind::kind);
  if (found == kinds.end()) {
    throw ConfigError("expected a kind of " +
                      joined(std::views::transform(kinds, &RenderedKind::kind)) + ": " + kind);
  }
  if (key_of(document).name.empty()) throw ConfigError("metadata.name is missing");
  return *found;
}

}  // namespace

void add_document_options(CLI::App& verb, DocumentOptions& options) {
  verb.add_option("-f,--file", options.file, "YAML with GanTrainings and ScalingSweeps")
      ->required()
      ->type_name("FILE");
  verb.add_option("--config-from", options.config_from,
                  "YAML file in place of the ConfigMap of spec.configFrom")
      ->type_name("FILE");
  add_source_options(verb, options.sources);
}

void for_each_document(
    const DocumentOptions& options,
    const std::function<void(const RenderedKind&, const Json&, const RenderContext&)>& use) {
  const NodeProfiles profiles = read_profiles(options.sources);
  const WorkerSchema schema = read_schema(options.sources);
  const std::string config =
      options.config_from.empty() ? "" : read_yaml_file(options.config_from).at(0).dump();
  const RenderContext context{profiles, schema, config, options.operator_namespace};
  const std::vector<RenderedKind> kinds = rendered_kinds();
  const std::vector<Json> documents = read_yaml_file(options.file);
  if (documents.empty()) throw ConfigError(options.file + ": contains no object");
  for (const Json& document : documents) {
    try {
      use(kind_of(document, kinds), document, context);
    } catch (const ConfigError& error) {
      throw ConfigError(options.file + ": " + error.what());
    }
  }
}

}  // namespace ganscale::controller
