#include "planning/output/scaling_table.h"

#include <fmt/format.h>

#include <cmath>

namespace ganscale::planning {
namespace {

constexpr auto kHeadOfRows =
    "                                                     --------- milliseconds of a step "
    "---------\n"
    "nodes   GPUs   batch    s/kimg  images/s  speedup    eff   device   host all-reduce "
    "stragglers   data    hours GPU-hours  limit\n";

std::string line_of(const ScalingRow& row) {
  const StepTime& step = row.step;
  return fmt::format(
      "{:5} {:6} {:7} {:9.4g} {:9.0f} {:8.2f} {:5.1f}% {:8.1f} {:6.1f} {:10.1f} {:10.1f} {:6.1f} "
      "{:8.2f} {:9.0f}  {}\n",
      row.nodes, row.scale.gpus, static_cast<long long>(row.scale.batch), row.seconds_per_kimg,
      1000 / row.seconds_per_kimg, row.speedup, 100 * row.efficiency, 1e3 * step.device,
      1e3 * step.host, 1e3 * step.all_reduce, 1e3 * step.stragglers, 1e3 * step.data, row.hours,
      row.gpu_hours(), std::string(limit_of(step)));
}

/// Returns by how many percent a is off b, to a tenth; no negative zero.
double percent_off(double a, double b) { return std::round(1000 * (a / b - 1)) / 10 + 0.0; }

std::string link_text(const Link& link) {
  return std::string(link.name) + fmt::format(" ({:.4g} GB/s, {:.3g} us)",
                                              link.bytes_per_second / 1e9,
                                              link.latency_seconds * 1e6);
}

nlohmann::ordered_json json_of(const Link& link) {
  return {{"name", std::string(link.name)},
          {"bytes_per_second", link.bytes_per_second},
          {"latency_seconds", link.latency_seconds}};
}

const char* quantity_of(const MeasuredPoint& point) {
  return point.seconds_per_kimg > 0 ? "s/kimg" : "efficiency";
}

}  // namespace

std::string to_table(const Scaling& scaling) {
  std::string table = kHeadOfRows;
  for (const ScalingRow& row : scaling.rows) table += line_of(row);
  if (!scaling.left_out.empty()) table += "further rows left out: " + scaling.left_out + "\n";
  return table;
}

std::string to_table(const Calibration& calibration, const Workload& workload,
                     const Machine& machine, const Assumptions& assumptions) {
  std::string table = " GPUs   batch  measured     model   error\n";
  for (const MeasuredPoint& point : calibration.points) {
    const double model = predict_point(point, workload, machine, assumptions);
    table += fmt::format("{:5} {:7} {:9.3f} {:9.3f} {:+6.1f}%  {}\n", point.scale.gpus,
                         static_cast<long long>(point.scale.batch), measured(point), model,
                         percent_off(model, measured(point)), quantity_of(point));
  }
  return table;
}

std::string to_line(const Machine& machine) {
  return machine.name + ": nodes of " + std::to_string(machine.gpus_per_node) + " x " +
         machine.device + ", " + link_text(machine.inside) + " inside, " +
         std::to_string(machine.ports) + " x " + link_text(machine.between) + " between";
}

nlohmann::ordered_json to_json(const Scaling& scaling) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ScalingRow& row : scaling.rows) {
    nlohmann::ordered_json seconds;
    for (const Term& term : terms()) seconds[std::string(term.name)] = row.step.*term.seconds;
    rows.push_back({{"nodes", row.nodes},
                    {"gpus", row.scale.gpus},
                    {"batch", row.scale.batch},
                    {"seconds_per_kimg", row.seconds_per_kimg},
                    {"speedup", row.speedup},
                    {"efficiency", row.efficiency},
                    {"hours", row.hours},
                    {"gpu_hours", row.gpu_hours()},
                    {"all_reduce", std::string(name_of(row.step.algorithm))},
                    {"step_seconds", seconds},
                    {"limit", std::string(limit_of(row.step))}});
  }
  return {{"mode", std::string(name_of(scaling.question.mode))},
          {"kimg", scaling.question.kimg},
          {"rows", rows},
          {"left_out", scaling.left_out}};
}

nlohmann::ordered_json to_json(const Machine& machine) {
  return {{"name", machine.name},
          {"device", machine.device},
          {"gpus_per_node", machine.gpus_per_node},
          {"inside", json_of(machine.inside)},
          {"between", json_of(machine.between)},
          {"ports", machine.ports}};
}

nlohmann::ordered_json to_json(const Calibration& calibration, const Workload& workload,
                               const Machine& machine, const Assumptions& assumptions) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const MeasuredPoint& point : calibration.points) {
    points.push_back({{"gpus", point.scale.gpus},
                      {"batch", point.scale.batch},
                      {"quantity", quantity_of(point)},
                      {"measured", measured(point)},
                      {"model", predict_point(point, workload, machine, assumptions)}});
  }
  return points;
}

}  // namespace ganscale::planning
