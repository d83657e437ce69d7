#include "scaling_sweep/desired/report_map.h"

#include "scaling_sweep/decide/status.h"
#include "scaling_sweep/desired/page.h"
#include "scaling_sweep/desired/speedup_chart.h"
#include "scaling_sweep/desired/step_chart.h"
#include "scaling_sweep/desired/tables.h"

namespace ganscale::controller::scaling_sweep {
namespace {

/// The report for programs: the sweep as it is stored, with what its results say.
std::string report_json(const Plan& plan, const Record& record, const Summary& summary) {
  Json status;
  write_results(record.results, status);
  write_figures(plan, record, summary, status);
  const Json report = {{"apiVersion", kApiVersion},
                       {"kind", kKind},
                       {"metadata", {{"name", plan.key.name}, {"namespace", plan.key.name_space}}},
                       {"spec", plan.stored_spec},
                       {"status", status}};
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
