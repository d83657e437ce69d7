#include "scaling_sweep/desired/tables.h"

#include <algorithm>

#include "scaling_sweep/desired/figures.h"

namespace ganscale::controller::scaling_sweep {
namespace {

/// The lines of a table, with the fields quoted that need it.
class Csv {
 public:
  Csv& add(const std::string& field) {
    if (!line_.empty() || has_field_) line_ += ',';
    has_field_ = true;
    if (field.find_first_of(",\"\n\r") == std::string::npos) {
      line_ += field;
      return *this;
    }
    line_ += '"';
    for (const char c : field) line_ += c == '"' ? std::string("\"\"") : std::string(1, c);
    line_ += '"';
    return *this;
  }
  Csv& add(double value, int decimals) { return add(number(value, decimals)); }
  Csv& add(const std::optional<double>& value, int decimals) {
    return add(value ? number(*value, decimals) : "");
  }
  Csv& add(const std::optional<Interval>& interval, int decimals) {
    add(interval ? number(interval->low, decimals) : "");
    return add(interval ? number(interval->high, decimals) : "");
  }
  void end_line() {
    text_ += line_ + "\r\n";
    line_.clear();
    has_field_ = false;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string line_;
  bool has_field_ = false;
};

void add_head(Csv& csv, const std::vector<const char*>& names) {
  for (const char* name : names) csv.add(name);
  csv.end_line();
}

void add_figures(Csv& csv, const PointResult& point) {
  csv.add(point.images_per_second, 3).add(1000 / point.images_per_second, 4);
  csv.add(point.interval, 3).add(point.variation, 5);
  csv.add(point.speedup, 4).add(point.speedup_interval, 4).add(point.efficiency, 4);
  csv.add(point.communication, 5);
  for (const double seconds : {point.step.compute, point.step.all_reduce, point.step.data_wait,
                               point.step_seconds_median, point.step_seconds_p99}) {
    csv.add(1000 * seconds, 4);
  }
  csv.add(point.straggler_ratio, 4).add(point.completion_seconds, 3);
  csv.add(point.gpu_use, 4).add(point.memory_share, 4);
}

std::string together(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : "; ") + one;
  return text;
}

/// Returns the first of many names, with how many more there are.
std::string some(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t kMost = 8;
  if (std::ssize(names) <= kMost) return together(names);
  return together({names.begin(), names.begin() + kMost}) + " and " +
         std::to_string(std::ssize(names) - kMost) + " more";
}

}  // namespace

std::string points_csv(const Plan& plan, const Summary& summary) {
  static const std::vector<const char*> kNames{"nodes",
                                               "gpus_per_node",
                                               "ranks",
                                               "gpus",
                                               "global_batch",
                                               "n",
                                               "failed",
                                               "images_per_second",
                                               "seconds_per_kimg",
                                               "interval_low",
                                               "interval_high",
                                               "variation",
                                               "speedup",
                                               "speedup_low",
                                               "speedup_high",
                                               "efficiency",
                                               "communication",
                                               "compute_ms",
                                               "exposed_all_reduce_ms",
                                               "data_wait_ms",
                                               "step_median_ms",
                                               "step_p99_ms",
                                               "straggler_ratio",
                                               "completion_seconds",
                                               "gpu_use",
                                               "memory_share",
                                               "warnings"};
  constexpr std::size_t kFigures = 19;
  Csv csv;
  add_head(csv, kNames);
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const PlannedPoint& planned = plan.points[i];
    const PointResult& point = summary.points[i];
    for (const std::int64_t count :
         {std::int64_t{planned.point.nodes}, std::int64_t{planned.point.gpus_per_node},
          std::int64_t{planned.ranks}, std::int64_t{planned.gpus}, planned.global_batch,
          std::int64_t{point.measured}, std::int64_t{point.failed}}) {
      csv.add(std::to_string(count));
    }
    if (point.measured > 0) {
      add_figures(csv, point);
    } else {
      for (std::size_t k = 0; k < kFigures; ++k) csv.add("");
    }
    csv.add(together(point.warnings)).end_line();
  }
  return csv.text();
}

std::string runs_csv(const Plan& plan, const Record& record) {
  Csv csv;
  add_head(csv, {"run", "ranks", "repeat", "images_per_second", "seconds", "steps",
                 "exposed_all_reduce_seconds", "data_wait_seconds", "straggler_ratio", "restarts",
                 "nodes", "image_id", "message"});
  for (const Result& result : record.results) {
    const auto run = std::ranges::find(plan.runs, result.run, &SweepRun::name);
    if (run == plan.runs.end()) continue;
    csv.add(result.run).add(std::to_string(plan.points[run->point].ranks));
    csv.add(std::to_string(run->repeat));
    const auto& m = result.measured;
    const auto figure = [&](double Measured::* member, int decimals) {
      csv.add(m ? number((*m).*member, decimals) : "");
    };
    figure(&Measured::images_per_second, 3);
    figure(&Measured::seconds, 4);
    csv.add(m ? std::to_string(m->steps) : "");
    figure(&Measured::all_reduce_seconds, 4);
    figure(&Measured::data_wait_seconds, 4);
    figure(&Measured::straggler_ratio, 4);
    csv.add(std::to_string(result.restarts)).add(some(result.nodes)).add(result.image_id);
    csv.add(result.message).end_line();
  }
  return csv.text();
}

}  // namespace ganscale::controller::scaling_sweep
