#pragma once

#include "scaling_sweep/decide/points.h"

namespace ganscale::controller::scaling_sweep {

/// Returns the ConfigMap NAME-report: points.csv, runs.csv, report.json, report.html, speedup.svg
/// and steps.svg.
Json report_map(const Plan& plan, const Record& record);

}  // namespace ganscale::controller::scaling_sweep
