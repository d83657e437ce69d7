#include "planning/output/goodput_table.h"

#include <fmt/format.h>

#include "planning/output/scheme_table.h"

namespace ganscale::planning {
namespace {

/// Returns three digits of a number, or all before the point.
std::string rounded_text(double value) {
  return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

/// Returns a duration in the unit that suits it: "45 s", "14.2 min", "7.5 h", "260 d".
std::string duration(double seconds) {
  if (seconds < 60) return rounded_text(seconds) + " s";
  if (seconds < 3600) return rounded_text(seconds / 60) + " min";
  if (seconds < 48 * 3600) return rounded_text(seconds / 3600) + " h";
  return rounded_text(seconds / 86400) + " d";
}

std::string interval(const IntervalGoodput& at) {
  return fmt::format(" {:>10} {:>9} {:7.1f}%", duration(at.seconds), rounded_text(at.kimg),
                     100 * at.goodput);
}

std::string rows_table(const SimulatedRuns& runs) {
  std::string table =
      "                      ---- best interval (Daly) --- --- checkpoint.every_kimg ---\n" +
      fmt::format("{:>5} {:>15} {:>10} {:>9} {:>8} {:>10} {:>9} {:>8}\n", "GPUs", "failure every",
                  "time", "kimg", "goodput", "time", "kimg", "goodput");
  for (const GoodputRow& row : runs.rows) {
    table += fmt::format("{:5} {:>15}", row.gpus, duration(3600 * row.hours_between_failures)) +
             interval(row.best) + (row.configured ? interval(*row.configured) : "       none") +
             "\n";
  }
  return table;
}

std::string curves_table(const SimulatedRuns& runs) {
  std::string table = fmt::format("Goodput on {} GPUs, by the hours between failures of a rank\n",
                                  runs.schemes.gpus);
  table += "  interval";
  for (const GoodputCurve& curve : runs.curves) {
    table += fmt::format(" {:9.0f}", curve.rank_hours_between_failures);
  }
  table += "\n";
  for (std::size_t i = 0; i < runs.curves.front().points.size(); ++i) {
    table += fmt::format("{:>10}", duration(runs.curves.front().points[i].seconds));
    for (const GoodputCurve& curve : runs.curves) {
      table += fmt::format(" {:8.1f}%", 100 * curve.points[i].goodput);
    }
    table += "\n";
  }
  table += "      best";
  for (const GoodputCurve& curve : runs.curves) {
    table += fmt::format(" {:>9}", duration(curve.best_seconds));
  }
  return table + "\n";
}

nlohmann::ordered_json json_of(const IntervalGoodput& at) {
  return {{"seconds", at.seconds}, {"kimg", at.kimg}, {"goodput", at.goodput}};
}

}  // namespace

std::string to_table(const SimulatedRuns& runs) {
  return to_table(runs.schemes) + "\n" + rows_table(runs) + "\n" + curves_table(runs);
}

nlohmann::ordered_json to_json(const SimulatedRuns& runs) {
  nlohmann::ordered_json json = to_json(runs.schemes);
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
