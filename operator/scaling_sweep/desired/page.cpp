#include "scaling_sweep/desired/page.h"

#include "markup/element.h"
#include "scaling_sweep/decide/progress.h"
#include "scaling_sweep/desired/figures.h"
#include "scaling_sweep/desired/speedup_chart.h"
#include "scaling_sweep/desired/step_chart.h"

namespace ganscale::controller::scaling_sweep {

using markup::element;
using markup::escaped;

namespace {

constexpr const char* kStyle =
    "body{font-family:system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;"
    "color:#222}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}"
    "svg{max-width:42rem;width:100%;height:auto}.table{overflow-x:auto}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.3rem .45rem;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}";

std::string row(const char* cell, const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& content : cells) text += element(cell, {}, escaped(content));
  return element("tr", {}, text);
}

std::string maybe(const std::optional<double>& value, double scale, int decimals) {
  return value ? number(*value * scale, decimals) : "–";
}

std::string between(const std::optional<Interval>& interval, int decimals) {
  return interval ? number(interval->low, decimals) + " to " + number(interval->high, decimals)
                  : "–";
}

std::string point_row(const PlannedPoint& planned, const PointResult& point) {
  const std::vector<std::string> head{
      point_name(planned.point), std::to_string(planned.ranks),
      planned.global_batch > 0 ? std::to_string(planned.global_batch) : "–",
      std::to_string(point.measured)};
  std::vector<std::string> cells = head;
  if (point.measured == 0) {
    cells.insert(cells.end(), 11, "–");
    return row("td", cells);
  }
  const std::vector<std::string> figures{number(point.images_per_second, 1),
                                         between(point.interval, 1),
                                         number(1000 / point.images_per_second, 2),
                                         maybe(point.completion_seconds, 1, 1),
                                         maybe(point.variation, 100, 1),
                                         maybe(point.speedup, 1, 2),
                                         maybe(point.efficiency, 100, 1),
                                         maybe(point.communication, 100, 1),
                                         number(point.straggler_ratio, 2),
                                         maybe(point.gpu_use, 100, 0),
                                         maybe(point.memory_share, 100, 0)};
  cells.insert(cells.end(), figures.begin(), figures.end());
  return row("td", cells);
}

std::string table(const Plan& plan, const Summary& summary) {
  std::string rows = row(
      "th", {"point", "ranks", "batch", "n", "images/s", "95% interval", "s/kimg", "whole run s",
             "CV %", "speedup", "eff. %", "comm. %", "straggler", "GPU %", "memory %"});
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    rows += point_row(plan.points[i], summary.points[i]);
  }
  return element("div", {{"class", "table"}}, element("table", {}, rows));
}

std::string law(const char* name, const std::optional<ScalingFit>& fit) {
  if (!fit) return "";
  std::string text = std::string(name) + ": " + number(fit->rate_of_one, 2) +
                     " images/s of one rank, contention " + number(100 * fit->contention, 3) + "%";
  if (fit->coherence > 0) text += ", coherence " + number(100 * fit->coherence, 5) + "%";
  if (const auto peak = fit->peak_ranks()) text += ", fastest on " + number(*peak, 0) + " ranks";
  return element("p", {}, escaped(text + ", R² " + number(fit->r_squared, 4)));
}

std::string warnings(const Plan& plan, const Record& record, const Summary& summary) {
  std::string items;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    for (const std::string& warning : summary.points[i].warnings) {
      items += element("li", {}, escaped(point_name(plan.points[i].point) + ": " + warning));
    }
  }
  for (const Result& result : record.results) {
    if (!result.measured) items += element("li", {}, escaped(result.run + ": " + result.message));
  }
  return items.empty() ? "" : element("h2", {}, "Warnings") + element("ul", {}, items);
}

std::string about(const Plan& plan, const Record& record) {
  const SweepSpec& spec = plan.spec;
  const std::string what = spec.mode == Mode::kPerLabel
                               ? "Whole trainings, one label per rank."
                               : "Windows of " + std::to_string(spec.measure_steps) +
                                     " steps after " + std::to_string(spec.warmup_steps) +
                                     " steps of warm-up.";
  return element(
      "p", {},
      escaped(std::string(name(spec.mode)) + " scaling. " + what + " " +
              std::to_string(done_count(plan, record)) + " of " + std::to_string(plan.runs.size()) +
              " runs are done. Speedups are relative to " +
              point_name(plan.points[plan.baseline].point) +
              "; rates are medians, intervals are of their geometric means."));
}

}  // namespace

std::string page(const Plan& plan, const Record& record, const Summary& summary) {
  const std::string title = "Scaling sweep " + plan.key.text();
  const std::string head =
      "<meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">" +
      element("title", {}, escaped(title)) + element("style", {}, kStyle);
  const std::string unit =
      plan.spec.mode == Mode::kPerLabel ? "Time of a training" : "Time of a step";
  const std::string body =
      element("h1", {}, escaped(title)) + about(plan, record) + speedup_chart(plan, summary) +
      element("h2", {}, unit) + step_chart(plan, summary) + element("h2", {}, "Points") +
      table(plan, summary) + law("Amdahl's law", summary.amdahl) +
      law("Universal scalability law", summary.usl) + warnings(plan, record, summary);
  return "<!DOCTYPE html>\n" +
         element("html", {{"lang", "en"}}, element("head", {}, head) + element("body", {}, body)) +
         "\n";
}

}  // namespace ganscale::controller::scaling_sweep
