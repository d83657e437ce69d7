#include "base/joined.h"
#include "scaling_sweep/desired/training.h"
#include "verbs/rendered_kinds.h"
#include "verbs/sweep_plan.h"

namespace ganscale::controller {
namespace {

/// The GanTrainings in the order in which they will run.
Rendering render_sweep(const Json& document, const RenderContext& context) {
  scaling_sweep::Plan plan = sweep_plan(document, context.profiles, context.schema);
  // The API server gives it one; no object is owned before.
  plan.uid = "00000000-0000-0000-0000-000000000000";
  Rendering rendering;
  for (const auto& run : plan.runs) {
    rendering.objects.push_back(scaling_sweep::training(plan, run));
  }
  return rendering;
}

std::string describe_sweep(const Json& document, const RenderContext& context) {
  const scaling_sweep::Plan plan = sweep_plan(document, context.profiles, context.schema);
  return plan.key.text() + ": " + std::string(scaling_sweep::name(plan.spec.mode)) + ", " +
         counted(plan.points.size(), "point") + " of " + std::to_string(plan.points.front().ranks) +
         " to " + std::to_string(plan.points.back().ranks) + " ranks, " +
         counted(plan.runs.size(), "run");
}

}  // namespace

RenderedKind rendered_sweep() { return {scaling_sweep::kKind, render_sweep, describe_sweep}; }

}  // namespace ganscale::controller
