#include "scaling_sweep/desired/report_map.h"

#include "scaling_sweep/decide/status.h"
#include "scaling_sweep/desired/page.h"
#include "scaling_sweep/desired/speedup_chart.h"
#include "scaling_sweep/desired/step_chart.h"
#include "scaling_sweep/desired/tables.h"

namespace ganscale::controller::scaling_sweep {
namespace {

/// The report for programs: as in the status, and the spec that it is of.
std::string report_json(const Plan& plan, const Record& record, const Summary& summary) {
  Json runs;
  write_record(record, runs);
  Json points = Json::array();
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    points.push_back(point_json(plan.points[i], summary.points[i]));
  }
  const Json report = {{"name", plan.key.name},
                       {"namespace", plan.key.name_space},
                       {"mode", name(plan.spec.mode)},
                       {"baseline", point_name(plan.points[plan.baseline].point)},
                       {"warmupSteps", plan.spec.warmup_steps},
                       {"measureSteps", plan.spec.measure_steps},
                       {"template", plan.spec.training},
                       {"points", points},
                       {"fit", fit_json(summary)},
                       {"runs", runs["runs"]}};
  return report.dump(1) + "\n";
}

}  // namespace

Json report_map(const Plan& plan, const Record& record) {
  const Summary summary = summarize(plan, record);
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", metadata_of(plan, report_name(plan.key))},
          {"data",
           {{"points.csv", points_csv(plan, summary)},
            {"runs.csv", runs_csv(plan, record)},
            {"report.json", report_json(plan, record, summary)},
            {"report.html", page(plan, record, summary)},
            {"speedup.svg", speedup_chart(plan, summary)},
            {"steps.svg", step_chart(plan, summary)}}}};
}

}  // namespace ganscale::controller::scaling_sweep
