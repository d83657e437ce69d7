#include "verbs/documents.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <ranges>

#include "base/error.h"
#include "base/joined.h"
#include "base/log.h"
#include "object/key.h"
#include "object/lookup.h"
#include "object/yaml.h"

namespace ganscale::controller {
namespace {

using Kinds = std::vector<RenderedKind>;

constexpr auto kOwnApi = "ganscale.dev/";

/// Returns the configuration in a file in place of a ConfigMap; empty without a file. The operator
/// takes one map of a ConfigMap, too.
std::string read_config(const std::string& file) {
  if (file.empty()) return "";
  const std::vector<Json> documents = read_yaml_file(file);
  const std::string wanted = file + ": --config-from takes one YAML map, and this is ";
  if (documents.size() != 1) throw ConfigError(wanted + counted(documents.size(), "document"));
  if (!documents[0].is_object()) {
    throw ConfigError(wanted + "another value: " + shown(documents[0]));
  }
  return documents[0].dump();
}

/// Returns the kind with this name; null if there is none.
const RenderedKind* find_kind(const std::string& name, const Kinds& kinds) {
  const auto found = std::ranges::find(kinds, name, &RenderedKind::kind);
  return found == kinds.end() ? nullptr : &*found;
}

/// Whether a document is an object of another API, such as the claim that a chart makes.
bool is_foreign(const Json& document, const Kinds& kinds) {
  const std::string api = text_at(document, "/apiVersion");
  const std::string kind = text_at(document, "/kind");
  return !api.empty() && !api.starts_with(kOwnApi) && !kind.empty() &&
         find_kind(kind, kinds) == nullptr;
}

const RenderedKind& kind_of(const Json& document, const Kinds& kinds) {
  const std::string name = text_at(document, "/kind");
  const RenderedKind* kind = find_kind(name, kinds);
  if (kind == nullptr) {
    throw ConfigError((name.empty() ? "no kind" : "unsupported kind " + name) + ": expected " +
                      joined(std::views::transform(kinds, &RenderedKind::kind), " or "));
  }
  if (key_of(document).name.empty()) throw ConfigError("metadata.name is missing");
  return *kind;
}

/// Leaves out objects of other APIs, and says so. The first one stays if there are no others.
std::vector<Json> own_documents(std::vector<Json> documents, const Kinds& kinds) {
  if (documents.empty()) throw ConfigError("contains no object");
  const auto foreign = std::ranges::stable_partition(
      documents, [&](const Json& document) { return !is_foreign(document, kinds); });
  if (foreign.size() == documents.size()) return {documents.front()};
  for (const Json& document : foreign) {
    log::info("Skipped an object of another kind", {{"kind", text_at(document, "/kind")},
                                                    {"name", text_at(document, "/metadata/name")}});
  }
  documents.erase(foreign.begin(), documents.end());
  return documents;
}

}  // namespace

std::string name_of(const std::string& file) { return file == "-" ? "standard input" : file; }

std::vector<Json> read_documents(const std::string& file) {
  if (file != "-") return read_yaml_file(file);
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  if (text.empty()) throw ConfigError(name_of(file) + " is empty");
  return read_yaml(text, name_of(file));
}

void add_document_options(CLI::App& verb, DocumentOptions& options) {
  verb.add_option("-f,--file", options.file,
                  "YAML with GanTrainings and ScalingSweeps, such as `helm template` prints; other "
                  "objects are skipped; -: standard input")
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
  const RenderContext context{profiles, schema, read_config(options.config_from),
                              options.operator_namespace};
  const Kinds kinds = rendered_kinds();
  std::vector<Json> documents = read_documents(options.file);
  try {
    for (const Json& document : own_documents(std::move(documents), kinds)) {
      use(kind_of(document, kinds), document, context);
    }
  } catch (const ConfigError& error) {
    throw ConfigError(name_of(options.file) + ": " + error.what());
  }
}

}  // namespace ganscale::controller
