#include "base/error.h"
#include "base/joined.h"
#include "gan_training/desired/config_map.h"
#include "gan_training/desired/control_secret.h"
#include "gan_training/desired/disruption_budget.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/desired/network_policy.h"
#include "gan_training/plan/roles.h"
#include "gan_training/plan/validate.h"
#include "verbs/rendered_kinds.h"

namespace ganscale::controller {
namespace {

gan_training::Plan training_plan(const Json& document, const RenderContext& context) {
  const auto training = gan_training::parse_training(document);
  gan_training::ReferencedConfig referenced{.text = context.config};
  if (referenced.text.empty()) {
    referenced.problem =
        "spec.configFrom: no cluster is asked for the ConfigMap: give its YAML with "
        "--config-from FILE";
  }
  auto checked =
      gan_training::check_training(training, context.profiles, context.schema, referenced);
  if (!checked.reason.empty()) throw ConfigError(training.key.text() + ": " + checked.problem);
  return std::move(checked.plan);
}

Rendering render_training(const Json& document, const RenderContext& context) {
  gan_training::Plan plan = training_plan(document, context);
  // The API server gives it one; no object is owned before.
  plan.uid = "00000000-0000-0000-0000-000000000000";
  Rendering rendering;
  for (const std::string& line : gan_training::describe_roles(plan)) {
    rendering.remarks.push_back(plan.key.text() + ", " + line);
  }
  rendering.objects = {
      gan_training::config_map(plan), gan_training::control_secret(plan, "drawn by the operator"),
      gan_training::network_policy(plan, context.operator_namespace),
      gan_training::disruption_budget(plan), gan_training::mpi_job(plan, {.attempt = 1})};
  return rendering;
}

std::string describe_training(const Json& document, const RenderContext& context) {
  const gan_training::Plan plan = training_plan(document, context);
  const auto size = [](int count, const char* noun) {
    return counted(static_cast<std::size_t>(count), noun);
  };
  return plan.key.text() + ": " + size(plan.spec.nodes, "node") + ", " + size(plan.gpus(), "GPU") +
         ", " + size(plan.ranks(), "rank");
}

}  // namespace

RenderedKind rendered_training() {
  return {gan_training::kKind, render_training, describe_training};
}

}  // namespace ganscale::controller
