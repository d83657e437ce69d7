#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "object/yaml.h"
#include "verbs/documents.h"
#include "verbs/verbs.h"

namespace ganscale::controller {
namespace {

constexpr auto kRenderExample =
    "\nExample:\n  ganscale-operator render -f operator-manifests/samples/faces-dgx-a100.yaml";

ExitCode render(const DocumentOptions& options) {
  for_each_document(options, [](const auto& kind, const Json& document, const auto& context) {
    const Rendering rendering = kind.render(document, context);
    for (const std::string& remark : rendering.remarks) std::cout << "# " << remark << "\n";
    for (const Json& object : rendering.objects) std::cout << "---\n" << to_yaml(object);
  });
  return ExitCode::kOk;
}

}  // namespace

void add_render(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "render", "Print every object of a GanTraining or a ScalingSweep; needs no cluster");
  verb->footer(kRenderExample);
  const auto options = std::make_shared<DocumentOptions>();
  add_document_options(*verb, *options);
  verb->add_option("--operator-namespace", options->operator_namespace,
                   "The operator's namespace, which the NetworkPolicy admits")
      ->capture_default_str();
  verb->callback([&action, options] { action = [options] { return render(*options); }; });
}

}  // namespace ganscale::controller
