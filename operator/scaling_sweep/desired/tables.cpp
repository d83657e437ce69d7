#include "scaling_sweep/desired/tables.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "base/joined.h"
#include "scaling_sweep/desired/figures.h"

namespace ganscale::controller::scaling_sweep {
namespace {

/// The lines of a table, with the fields quoted that need it.
class Csv {
 public:
  void add(const std::string& field) {
    if (has_field_) text_ += ',';
    has_field_ = true;
    if (field.find_first_of(",\"\n\r") == std::string::npos) {
      text_ += field;
      return;
    }
    text_ += '"';
    for (const char c : field) text_ += c == '"' ? std::string("\"\"") : std::string(1, c);
    text_ += '"';
  }
  void end_line() {
    text_ += "\r\n";
    has_field_ = false;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_field_ = false;
};

/// A column of a table: its name, and its text in a row.
template <class Row>
struct Column {
  const char* name;
  std::string (*text)(const Row& row);
};

std::string figure(const std::optional<double>& value, int decimals) {
  return value ? number(*value, decimals) : "";
}

std::string bound(const std::optional<Interval>& interval, double Interval::* end, int decimals) {
  return interval ? number((*interval).*end, decimals) : "";
}

std::string time_of_step(const PointResult& point, double StepTimes::* seconds) {
  return point.step ? number(1000 * (*point.step).*seconds, 4) : "";
}

struct PointRow {
  const PlannedPoint& planned;
  const PointResult& result;
};
using PointColumn = Column<PointRow>;

constexpr std::array kCounts{
    PointColumn{"nodes",
                [](const PointRow& row) { return std::to_string(row.planned.point.nodes); }},
    PointColumn{
        "gpus_per_node",
        [](const PointRow& row) { return std::to_string(row.planned.point.gpus_per_node); }},
    PointColumn{"ranks", [](const PointRow& row) { return std::to_string(row.planned.ranks); }},
    PointColumn{"gpus", [](const PointRow& row) { return std::to_string(row.planned.gpus); }},
    PointColumn{"global_batch",
                [](const PointRow& row) {
                  const std::int64_t batch = row.planned.global_batch;
                  return batch > 0 ? std::to_string(batch) : "";
                }},
    PointColumn{"n", [](const PointRow& row) { return std::to_string(row.result.measured); }},
    PointColumn{"failed", [](const PointRow& row) { return std::to_string(row.result.failed); }}};

using FigureColumn = Column<PointResult>;

// They are empty for a point that was not measured, and those of steps for whole trainings.
constexpr std::array kFigures{
    FigureColumn{"images_per_second",
                 [](const PointResult& point) { return number(point.images_per_second, 3); }},
    FigureColumn{
        "seconds_per_kimg",
        [](const PointResult& point) { return number(1000 / point.images_per_second, 4); }},
    FigureColumn{"interval_low",
                 [](const PointResult& point) { return bound(point.interval, &Interval::low, 3); }},
    FigureColumn{
        "interval_high",
        [](const PointResult& point) { return bound(point.interval, &Interval::high, 3); }},
    FigureColumn{"variation", [](const PointResult& point) { return figure(point.variation, 5); }},
    FigureColumn{"speedup", [](const PointResult& point) { return figure(point.speedup, 4); }},
    FigureColumn{
        "speedup_low",
        [](const PointResult& point) { return bound(point.speedup_interval, &Interval::low, 4); }},
    FigureColumn{
        "speedup_high",
        [](const PointResult& point) { return bound(point.speedup_interval, &Interval::high, 4); }},
    FigureColumn{"efficiency",
                 [](const PointResult& point) { return figure(point.efficiency, 4); }},
    FigureColumn{"communication",
                 [](const PointResult& point) { return figure(point.communication, 5); }},
    FigureColumn{"compute_ms",
                 [](const PointResult& point) { return time_of_step(point, &StepTimes::compute); }},
    FigureColumn{
        "exposed_all_reduce_ms",
        [](const PointResult& point) { return time_of_step(point, &StepTimes::all_reduce); }},
    FigureColumn{
        "data_wait_ms",
        [](const PointResult& point) { return time_of_step(point, &StepTimes::data_wait); }},
    FigureColumn{
        "role_wait_ms",
        [](const PointResult& point) { return time_of_step(point, &StepTimes::role_wait); }},
    FigureColumn{"step_median_ms",
                 [](const PointResult& point) { return time_of_step(point, &StepTimes::median); }},
    FigureColumn{"step_p99_ms",
                 [](const PointResult& point) { return time_of_step(point, &StepTimes::p99); }},
    FigureColumn{"straggler_ratio",
                 [](const PointResult& point) { return number(point.straggler_ratio, 4); }},
    FigureColumn{"completion_seconds",
                 [](const PointResult& point) { return figure(point.completion_seconds, 3); }},
    FigureColumn{"gpu_use", [](const PointResult& point) { return figure(point.gpu_use, 4); }},
    FigureColumn{"memory_share",
                 [](const PointResult& point) { return figure(point.memory_share, 4); }}};

/// Returns the first of many names, with how many more there are.
std::string some(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t kMost = 8;
  if (std::ssize(names) <= kMost) return joined(names, "; ");
  return joined(names | std::views::take(kMost), "; ") + " and " +
         std::to_string(std::ssize(names) - kMost) + " more";
}

struct RunRow {
  int ranks;
  const SweepRun& run;
  const Result& result;
};
using RunColumn = Column<RunRow>;

std::string measured(const RunRow& row, double Measured::* member, int decimals) {
  const auto& all = row.result.measured;
  return all ? number((*all).*member, decimals) : "";
}

/// Returns a figure of the window; a whole training has none.
std::string of_window(const RunRow& row, double Measured::* member) {
  const auto& all = row.result.measured;
  return all && all->steps > 0 ? measured(row, member, 4) : "";
}

constexpr std::array kRunColumns{
    RunColumn{"run", [](const RunRow& row) { return row.result.run; }},
    RunColumn{"ranks", [](const RunRow& row) { return std::to_string(row.ranks); }},
    RunColumn{"repeat", [](const RunRow& row) { return std::to_string(row.run.repeat); }},
    RunColumn{"images_per_second",
              [](const RunRow& row) { return measured(row, &Measured::images_per_second, 3); }},
    RunColumn{"seconds", [](const RunRow& row) { return measured(row, &Measured::seconds, 4); }},
    RunColumn{"steps",
              [](const RunRow& row) {
                const auto& all = row.result.measured;
                return all && all->steps > 0 ? std::to_string(all->steps) : "";
              }},
    RunColumn{"exposed_all_reduce_seconds",
              [](const RunRow& row) { return of_window(row, &Measured::all_reduce_seconds); }},
    RunColumn{"data_wait_seconds",
              [](const RunRow& row) { return of_window(row, &Measured::data_wait_seconds); }},
    RunColumn{"role_wait_seconds",
              [](const RunRow& row) { return of_window(row, &Measured::role_wait_seconds); }},
    RunColumn{"straggler_ratio",
              [](const RunRow& row) { return measured(row, &Measured::straggler_ratio, 4); }},
    RunColumn{"restarts", [](const RunRow& row) { return std::to_string(row.result.restarts); }},
    RunColumn{"nodes", [](const RunRow& row) { return some(row.result.nodes); }},
    RunColumn{"image_id", [](const RunRow& row) { return row.result.image_id; }},
    RunColumn{"message", [](const RunRow& row) { return row.result.message; }}};

}  // namespace

std::string points_csv(const Plan& plan, const Summary& summary) {
  Csv csv;
  for (const PointColumn& column : kCounts) csv.add(column.name);
  for (const FigureColumn& column : kFigures) csv.add(column.name);
  csv.add("warnings");
  csv.end_line();
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const PointResult& result = summary.points[i];
    for (const PointColumn& column : kCounts) csv.add(column.text({plan.points[i], result}));
    for (const FigureColumn& column : kFigures) {
      csv.add(result.measured > 0 ? column.text(result) : "");
    }
    csv.add(joined(result.warnings, "; "));
    csv.end_line();
  }
  return csv.text();
}

std::string runs_csv(const Plan& plan, const Record& record) {
  Csv csv;
  for (const RunColumn& column : kRunColumns) csv.add(column.name);
  csv.end_line();
  for (const Result& result : record.results) {
    const auto run = std::ranges::find(plan.runs, result.run, &SweepRun::name);
    if (run == plan.runs.end()) continue;
    const RunRow row{plan.points[run->point].ranks, *run, result};
    for (const RunColumn& column : kRunColumns) csv.add(column.text(row));
    csv.end_line();
  }
  return csv.text();
}

}  // namespace ganscale::controller::scaling_sweep
