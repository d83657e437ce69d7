#include "planning/output/goodput_table.h"

#include "planning/output/format.h"

namespace ganscale::planning {
namespace {

/// Returns three digits of a number, or all before the point.
std::string rounded_text(double value) { return format(value < 100 ? "%.3g" : "%.0f", value); }

/// Returns a duration in the unit that suits it: "45 s", "14.2 min", "7.5 h", "260 d".
std::string duration(double seconds) {
  if (seconds < 60) return rounded_text(seconds) + " s";
  if (seconds < 3600) return rounded_text(seconds / 60) + " min";
  if (seconds < 48 * 3600) return rounded_text(seconds / 3600) + " h";
  return rounded_text(seconds / 86400) + " d";
}

std::string schemes_table(const SimulatedRuns& runs) {
  std::string table = format("%d GPUs, batch %lld, %d steps of each scheme\n", runs.gpus,
                             static_cast<long long>(runs.batch), runs.steps) +
                      format("%-30s %9s %9s %6s\n", "scheme", "ms/step", "images/s", "busy");
  for (const SchemeRun& run : runs.schemes) {
    table += format("%-30s %9.2f %9.0f %5.1f%%\n", run.scheme.c_str(), 1e3 * run.step_seconds,
                    run.images_per_second, 100 * run.taken.busy_share);
  }
  return table;
}

std::string interval(const IntervalGoodput& at) {
  return format(" %10s %9s %7.1f%%", duration(at.seconds).c_str(), rounded_text(at.kimg).c_str(),
                100 * at.goodput);
}

std::string rows_table(const SimulatedRuns& runs) {
  std::string table =
      "                      ---- best interval (Daly) --- --- checkpoint.every_kimg ---\n" +
      format("%5s %15s %10s %9s %8s %10s %9s %8s\n", "GPUs", "failure every", "time", "kimg",
             "goodput", "time", "kimg", "goodput");
  for (const GoodputRow& row : runs.rows) {
    table += format("%5d %15s", row.gpus, duration(3600 * row.hours_between_failures).c_str()) +
             interval(row.best) + (row.configured ? interval(*row.configured) : "       none") +
             "\n";
  }
  return table;
}

std::string curves_table(const SimulatedRuns& runs) {
  std::string table =
      format("Goodput on %d GPUs, by the hours between failures of a rank\n", runs.gpus);
  table += "  interval";
  for (const GoodputCurve& curve : runs.curves) {
    table += format(" %9.0f", curve.rank_hours_between_failures);
  }
  table += "\n";
  for (std::size_t i = 0; i < runs.curves.front().points.size(); ++i) {
    table += format("%10s", duration(runs.curves.front().points[i].seconds).c_str());
    for (const GoodputCurve& curve : runs.curves) {
      table += format(" %8.1f%%", 100 * curve.points[i].goodput);
    }
    table += "\n";
  }
  table += "      best";
  for (const GoodputCurve& curve : runs.curves) {
    table += format(" %9s", duration(curve.best_seconds).c_str());
  }
  return table + "\n";
}

nlohmann::ordered_json json_of(const IntervalGoodput& at) {
  return {{"seconds", at.seconds}, {"kimg", at.kimg}, {"goodput", at.goodput}};
}

}  // namespace

std::string to_table(const SimulatedRuns& runs) {
  return schemes_table(runs) + "\n" + rows_table(runs) + "\n" + curves_table(runs);
}

nlohmann::ordered_json to_json(const SimulatedRuns& runs) {
  nlohmann::ordered_json json = {{"gpus", runs.gpus}, {"batch", runs.batch}, {"steps", runs.steps}};
  for (const SchemeRun& run : runs.schemes) {
    json["schemes"].push_back({{"scheme", run.scheme},
                               {"step_seconds", run.step_seconds},
                               {"images_per_second", run.images_per_second},
                               {"busy_share", run.taken.busy_share}});
  }
  for (const GoodputRow& row : runs.rows) {
    json["rows"].push_back({{"gpus", row.gpus},
                            {"hours_between_failures", row.hours_between_failures},
                            {"best", json_of(row.best)}});
    if (row.configured) json["rows"].back()["configured"] = json_of(*row.configured);
  }
  for (const GoodputCurve& curve : runs.curves) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const IntervalGoodput& at : curve.points) points.push_back(json_of(at));
    json["curves"].push_back({{"rank_hours_between_failures", curve.rank_hours_between_failures},
                              {"best_seconds", curve.best_seconds},
                              {"points", points}});
  }
  return json;
}

}  // namespace ganscale::planning
