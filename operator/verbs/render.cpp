#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "gan_training/desired/config_map.h"
#include "gan_training/desired/control_secret.h"
#include "gan_training/desired/disruption_budget.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/desired/network_policy.h"
#include "gan_training/plan/roles.h"
#include "gan_training/plan/validate.h"
#include "object/yaml.h"
#include "verbs/sources.h"
#include "verbs/verbs.h"

namespace ganscale::controller {

using namespace gan_training;  // of which alone these verbs know

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
  verb.add_option("-f,--file", options.file, "YAML with GanTrainings")
      ->required()
      ->type_name("FILE");
  verb.add_option("--config-from", options.config_from,
                  "YAML that spec.configFrom would find in the cluster")
      ->type_name("FILE");
  add_source_options(verb, options.sources);
}

/// Returns the plan of each training of the file. Throws ConfigError for one that is refused.
std::vector<Plan> plans(const RenderOptions& options) {
  const NodeProfiles profiles = read_profiles(options.sources);
  const WorkerSchema schema = read_schema(options.sources);
  const std::string config =
      options.config_from.empty() ? "" : read_yaml_file(options.config_from).at(0).dump();
  std::vector<Plan> plans;
  for (const GanTraining& training : read_trainings(options.file)) {
    Checked checked = check_training(training, profiles, schema, {.text = config});
    if (!checked.reason.empty()) {
      throw ConfigError(options.file + ": " + training.key.text() + ": " + checked.problem);
    }
    plans.push_back(std::move(checked.plan));
  }
  return plans;
}

ExitCode render(const RenderOptions& options) {
  for (Plan& plan : plans(options)) {
    // The API server gives it one; no object is owned before.
    plan.uid = "00000000-0000-0000-0000-000000000000";
    const std::vector<Json> objects{config_map(plan), control_secret(plan, "drawn by the operator"),
                                    network_policy(plan, options.operator_namespace),
                                    disruption_budget(plan), mpi_job(plan, 1, 0)};
    for (const std::string& line : describe_roles(plan)) {
      std::cout << "# " << plan.key.text() << ", " << line << "\n";
    }
    for (const Json& object : objects) std::cout << "---\n" << to_yaml(object);
  }
  return ExitCode::kOk;
}

ExitCode validate(const RenderOptions& options) {
  for (const Plan& plan : plans(options)) {
    std::cout << plan.key.text() << ": " << plan.spec.nodes << " nodes, " << plan.gpus()
              << " GPUs, " << plan.ranks() << " ranks\n";
  }
  return ExitCode::kOk;
}

}  // namespace

void add_render(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("render", "Print every object of a GanTraining; needs no cluster");
  verb->footer(kRenderExample);
  const auto options = std::make_shared<RenderOptions>();
  add_file_options(*verb, *options);
  verb->add_option("--operator-namespace", options->operator_namespace,
                   "Namespace that the NetworkPolicy lets in")
      ->capture_default_str();
  verb->callback([&action, options] { action = [options] { return render(*options); }; });
}

void add_validate(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("validate", "Check GanTrainings; needs no cluster");
  verb->footer(kValidateExample);
  const auto options = std::make_shared<RenderOptions>();
  add_file_options(*verb, *options);
  verb->callback([&action, options] { action = [options] { return validate(*options); }; });
}

}  // namespace ganscale::controller
