#include "scaling_sweep/reconcile/sweep_metrics.h"

#include <map>

#include "object/lookup.h"
#include "scaling_sweep/decide/record.h"

namespace ganscale::controller::scaling_sweep {
namespace {

constexpr Metric kByPhase{"ganscale_sweeps", "ScalingSweeps by phase.", telemetry::Type::kGauge};

}  // namespace

void collect_sweeps(const std::vector<Informer::Object>& sweeps, Families& families) {
  std::map<std::string, int> counts;
  for (const auto& sweep : sweeps) ++counts[text_at(*sweep, "/status/phase", phase::kPending)];
  families.declare(kByPhase);
  for (const auto& [phase, count] : counts) families.add(kByPhase, {{"phase", phase}}, count);
}

}  // namespace ganscale::controller::scaling_sweep
