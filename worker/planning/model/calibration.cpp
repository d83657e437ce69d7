#include "planning/model/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "base/joined.h"
#include "cost/device_table.h"

namespace ganscale::planning {
namespace {

/// What can be fitted: a line each.
const std::map<std::string, double Assumptions::*>& fitted_values() {
  static const std::map<std::string, double Assumptions::*> kValues = {
      {"device", &Assumptions::device},
      {"launch_seconds", &Assumptions::launch_seconds},
      {"synchronize_seconds", &Assumptions::synchronize_seconds},
  };
  return kValues;
}

void require_scale(const config::Section& in, const Scale& scale, const Machine& machine,
                   std::string_view gpus_key, std::string_view batch_key) {
  in.require(machine.nodes_of(scale.gpus) > 0, gpus_key,
             std::to_string(scale.gpus) + " do not fill nodes of " +
                 std::to_string(machine.gpus_per_node) + " (" + machine.name + ")");
  in.require(scale.batch >= scale.gpus, batch_key,
             "less than an image for each of " + std::to_string(scale.gpus) +
                 " GPUs: " + std::to_string(scale.batch));
}

MeasuredPoint parse_point(config::Section in, const Machine& machine) {
  MeasuredPoint point;
  point.location = in.location("gpus");
  point.scale.gpus = in.get("gpus", 0, "GPUs of the measured training");
  point.scale.batch = in.get("batch", std::int64_t{0}, "images per step, over all GPUs");
  point.scale.at_once =
      in.get("at_once", std::int64_t{0}, "images per GPU and pass; 0: all of a step");
  in.require(point.scale.at_once >= 0, "at_once", "must not be negative");
  point.seconds_per_kimg =
      in.get("seconds_per_kimg", 0.0, "seconds per 1,000 images, over all GPUs");
  point.efficiency =
      in.get("efficiency", 0.0, "images per second and GPU, relative to `against_*`");
  point.against.gpus =
      in.get("against_gpus", 1, "GPUs of the training that the efficiency is relative to");
  point.against.batch = in.get("against_batch", point.scale.batch, "its batch");
  in.require(point.seconds_per_kimg >= 0, "seconds_per_kimg", "must be above 0");
  in.require((point.seconds_per_kimg > 0) != (point.efficiency > 0), "seconds_per_kimg",
             "give either seconds_per_kimg or an efficiency, above 0");
  require_scale(in, point.scale, machine, "gpus", "batch");
  if (point.efficiency > 0) {
    require_scale(in, point.against, machine, "against_gpus", "against_batch");
  }
  in.reject_unread_keys();
  return point;
}

/// The sum of squared errors of the points, as logarithms.
double error_of(const Calibration& calibration, const Workload& workload, const Machine& machine,
                const Assumptions& assumptions) {
  double sum = 0;
  for (const MeasuredPoint& point : calibration.points) {
    const double ratio = predict_point(point, workload, machine, assumptions) / measured(point);
    sum += std::log(ratio) * std::log(ratio);
  }
  return sum;
}

/// Returns five digits of a number: more are not sought.
double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

/// Seeks the least error on grids of the fitted values around the best so far, which become finer
/// once no point of one is better. No slope is needed: if a rank waits for its device, the host's
/// time changes nothing.
class Search {
 public:
  Search(const Calibration& calibration, const Workload& workload, const Machine& machine)
      : calibration_(calibration), workload_(workload), machine_(machine) {}

  Assumptions run() {
    constexpr double kSmallestStep = 1e-6;
    best_ = calibration_.assumptions;
    best_error_ = error(best_);
    step_ = std::log(10.0) / 4;
    reach_ = 8;  // from a hundredth to a hundred times each value
    visit(0, Assumptions(best_));
    reach_ = 2;
    for (; step_ > kSmallestStep; step_ /= 2) {
      for (double before = INFINITY; best_error_ < before;) {
        before = best_error_;
        visit(0, Assumptions(best_));
      }
    }
    for (const std::string& name : calibration_.fit) {
      double& value = best_.*fitted_values().at(name);
      value = rounded(value);
    }
    return best_;
  }

 private:
  double error(const Assumptions& at) const {
    return error_of(calibration_, workload_, machine_, at);
  }

  void visit(std::size_t number, const Assumptions& at) {
    if (number == calibration_.fit.size()) {
      const double here = error(at);
      if (here < best_error_) {
        best_error_ = here;
        best_ = at;
      }
      return;
    }
    double Assumptions::* const value = fitted_values().at(calibration_.fit[number]);
    for (int i = -reach_; i <= reach_; ++i) {
      // Bounds, so that a value that goes to nothing still has an effect if it must come back.
      const double first = calibration_.assumptions.*value;
      Assumptions moved = at;
      moved.*value = std::clamp(at.*value * std::exp(i * step_), first / 1e3, first * 1e5);
      visit(number + 1, moved);
    }
  }

  const Calibration& calibration_;
  const Workload& workload_;
  const Machine& machine_;
  Assumptions best_;
  double best_error_ = 0;
  double step_ = 0;  ///< between two points of a grid: the logarithm of a ratio
  int reach_ = 0;    ///< points of a grid on each side of its center
};

}  // namespace

Assumptions assumed_of(const Machine& machine) {
  return {.launch_seconds = cost::device_of_name(machine.device).reached.seconds_of_launch};
}

Calibration parse_calibration(config::Section in, const Machine& machine,
                              const std::vector<MeasuredPoint>& more) {
  Calibration calibration;
  calibration.assumptions = parse_assumptions(in.section("assume"), assumed_of(machine));
  calibration.fit = in.get("fit", std::vector<std::string>{"device"}, "assumptions to fit");
  calibration.fit_location = in.location("fit");
  std::vector<std::string> known;
  for (const auto& [name, value] : fitted_values()) known.push_back(name);
  for (const std::string& name : calibration.fit) {
    in.require(fitted_values().contains(name), "fit",
               "can't be fitted: " + name + " (known: " + joined(known) + ")");
    in.require(std::ranges::count(calibration.fit, name) == 1, "fit", "twice: " + name);
    in.require(calibration.assumptions.*fitted_values().at(name) > 0, "fit",
               "assume." + name + " is 0, from which nothing can be fitted");
  }
  for (config::Section& point : in.sections("points")) {
    calibration.points.push_back(parse_point(point, machine));
  }
  calibration.points.insert(calibration.points.end(), more.begin(), more.end());
  in.require(calibration.points.size() >= calibration.fit.size(), "points",
             std::to_string(calibration.points.size()) + " points do not determine " +
                 std::to_string(calibration.fit.size()) + " values to fit");
  in.reject_unread_keys();
  return calibration;
}

MeasuredPoint parse_bench_result(config::Section in, const Machine& machine) {
  const std::string_view what = "as ganscale bench --json prints it";
  MeasuredPoint point;
  point.location = in.location("ranks");
  point.scale.gpus = in.get("ranks", 0, what);
  point.scale.batch = in.get("batch", std::int64_t{0}, what);
  point.seconds_per_kimg = in.get("seconds_per_kimg", 0.0, what);
  in.require(point.seconds_per_kimg > 0, "seconds_per_kimg",
             "must be above 0: is this file a result of `ganscale bench --json`?");
  in.require(in.get("steps", 0, what) > 0, "steps",
             "must be above 0: a result of `ganscale bench --count` is not a measurement");
  require_scale(in, point.scale, machine, "ranks", "batch");
  return point;
}

Assumptions fit(const Calibration& calibration, const Workload& workload, const Machine& machine) {
  constexpr double kLeastEffect = 1e-9;
  const Assumptions best = Search(calibration, workload, machine).run();
  const double least = error_of(calibration, workload, machine, best);
  for (const std::string& name : calibration.fit) {
    double effect = 0;
    for (const double factor : {0.5, 2.0}) {
      Assumptions other = best;
      other.*fitted_values().at(name) *= factor;
      effect = std::max(effect, error_of(calibration, workload, machine, other) - least);
    }
    if (effect < kLeastEffect) {
      throw ConfigError(calibration.fit_location.text() + ": fit: the points do not determine " +
                        name);
    }
  }
  return best;
}

double predict_point(const MeasuredPoint& point, const Workload& workload, const Machine& machine,
                     const Assumptions& assumptions) {
  const auto seconds = [&](const Scale& scale) {
    return seconds_per_kimg(predict_step(workload, machine, assumptions, scale), scale);
  };
  if (point.seconds_per_kimg > 0) return seconds(point.scale);
  return seconds(point.against) * point.against.gpus / (seconds(point.scale) * point.scale.gpus);
}

double measured(const MeasuredPoint& point) {
  return point.seconds_per_kimg > 0 ? point.seconds_per_kimg : point.efficiency;
}

}  // namespace ganscale::planning
