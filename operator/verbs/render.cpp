#include <CLI/App.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <ranges>

#include "base/error.h"
#include "base/joined.h"
#include "object/key.h"
#include "object/yaml.h"
#include "verbs/rendered_kinds.h"
#include "verbs/sources.h"
#include "verbs/verbs.h"

namespace ganscale::controller {
namespace {

struct RenderOptions {
  std::string file;
  std::string config_from;
  std::string operator_namespace = "ganscale-system";
  SourceOptions sources;
};

constexpr auto kRenderExample =
    "\nExample:\n  ganscale-operator render -f operator-manifests/samples/faces-dgx-a100.yaml";
constexpr auto kValidateExample =
    "\nExample:\n  ganscale-operator validate -f my-training.yaml   # exit code 78 if it is "
    "refused";

void add_file_options(CLI::App& verb, RenderOptions& options) {
  verb.add_option("-f,--file", options.file, "YAML with GanTrainings and ScalingSweeps")
      ->required()
      ->type_name("FILE");
  verb.add_option("--config-from", options.config_from,
                  "YAML file in place of the ConfigMap of spec.configFrom")
      ->type_name("FILE");
  add_source_options(verb, options.sources);
}

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

/// Calls `use` with each document of the file and its kind. Throws ConfigError, with the file.
void for_each_document(
    const RenderOptions& options,
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

ExitCode render(const RenderOptions& options) {
  for_each_document(options, [](const auto& kind, const Json& document, const auto& context) {
    const Rendering rendering = kind.render(document, context);
    for (const std::string& remark : rendering.remarks) std::cout << "# " << remark << "\n";
    for (const Json& object : rendering.objects) std::cout << "---\n" << to_yaml(object);
  });
  return ExitCode::kOk;
}

ExitCode validate(const RenderOptions& options) {
  for_each_document(options, [](const auto& kind, const Json& document, const auto& context) {
    std::cout << kind.describe(document, context) << "\n";
  });
  return ExitCode::kOk;
}

}  // namespace

void add_render(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "render", "Print every object of a GanTraining or a ScalingSweep; needs no cluster");
  verb->footer(kRenderExample);
  const auto options = std::make_shared<RenderOptions>();
  add_file_options(*verb, *options);
  verb->add_option("--operator-namespace", options->operator_namespace,
                   "The operator's namespace, which the NetworkPolicy admits")
      ->capture_default_str();
  verb->callback([&action, options] { action = [options] { return render(*options); }; });
}

void add_validate(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("validate", "Check GanTrainings and ScalingSweeps; needs no cluster");
  verb->footer(kValidateExample);
  const auto options = std::make_shared<RenderOptions>();
  add_file_options(*verb, *options);
  verb->callback([&action, options] { action = [options] { return validate(*options); }; });
}

}  // namespace ganscale::controller
