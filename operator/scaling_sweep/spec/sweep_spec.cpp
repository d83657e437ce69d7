#include "scaling_sweep/spec/sweep_spec.h"

#include <algorithm>
#include <limits>

#include "base/enum_names.h"
#include "object/fields.h"

namespace ganscale::controller::scaling_sweep {
namespace {

constexpr int kMostPoints = 32;
constexpr int kMostRepeats = 20;
constexpr int kMostSteps = 10000000;
constexpr int kWeekSeconds = 7 * 24 * 3600;
constexpr int kYearSeconds = 365 * 24 * 3600;

constexpr EnumNames<Mode, 3> kModes{{
    {Mode::kStrong, "Strong"},
    {Mode::kWeak, "Weak"},
    {Mode::kPerLabel, "PerLabel"},
}};

Mode parse_mode(Fields& in) {
  const std::string word = in.text("mode");
  if (const auto mode = value_in(kModes, word)) return *mode;
  in.fail("mode", "must be Strong, Weak or PerLabel: " + word);
}

Point parse_point(Fields in) {
  return {in.whole("nodes", 1, 1, 4096), in.whole("gpusPerNode", 0, 0, 64)};
}

std::vector<Point> parse_points(Fields& in) {
  const Json list = in.any("points");
  in.require(list.is_array() && !list.empty() && list.size() <= kMostPoints, "points",
             "expected a list of 1 to " + std::to_string(kMostPoints));
  std::vector<Point> points;
  for (std::size_t i = 0; i < list.size(); ++i) {
    points.push_back(parse_point({list[i], "spec.points[" + std::to_string(i) + "]"}));
    const auto same = std::ranges::count(points, points.back());
    in.require(same == 1, "points", "duplicate point: " + list[i].dump());
  }
  return points;
}

/// Reads the windows, which only trainings with common steps have.
void parse_windows(Fields& in, SweepSpec& s) {
  const bool has_steps = s.mode != Mode::kPerLabel;
  if (!has_steps) {
    in.require(!in.has("measure"), "measure",
               "mode PerLabel measures whole trainings: leave it out");
    in.require(!in.has("warmup"), "warmup", "mode PerLabel has no warm-up: leave it out");
    return;
  }
  s.warmup_steps = in.object("warmup").whole("steps", 50, 0, kMostSteps);
  s.measure_steps = in.object("measure").whole("steps", 200, 1, kMostSteps);
}

void parse_batch(Fields& in, SweepSpec& s) {
  const bool is_weak = s.mode == Mode::kWeak;
  in.require(in.has("batchPerRank") == is_weak, "batchPerRank",
             is_weak ? "mode Weak needs a batch per rank"
                     : "is for mode Weak; set template.config.training.batch");
  if (is_weak) s.batch_per_rank = in.whole("batchPerRank", 1, 1, 1 << 20);
}

void parse_policies(Fields& in, SweepSpec& s) {
  s.repeats = in.whole("repeats", s.repeats, 1, kMostRepeats);
  s.seed = in.whole("seed", s.seed);
  in.whole("maxConcurrent", 1, 1, 1);
  const std::string policy = in.text("failurePolicy", "Continue");
  in.require(policy == "Continue" || policy == "Stop", "failurePolicy",
             "must be Continue or Stop: " + policy);
  s.stop_on_failure = policy == "Stop";
  s.suspend = in.flag("suspend", s.suspend);
  s.run_deadline_seconds = in.whole("runDeadlineSeconds", s.run_deadline_seconds, 1, kWeekSeconds);
  if (in.has("ttlSecondsAfterFinished")) {
    s.ttl_seconds = in.whole("ttlSecondsAfterFinished", 0, 0, kYearSeconds);
  }
}

}  // namespace

std::string_view name(Mode mode) { return name_in(kModes, mode); }

SweepSpec parse_sweep_spec(const Json& spec) {
  Fields in(spec, "spec");
  SweepSpec s;
  s.mode = parse_mode(in);
  s.points = parse_points(in);
  parse_windows(in, s);
  parse_batch(in, s);
  parse_policies(in, s);
  if (in.has("baseline")) {
    s.baseline = parse_point(in.object("baseline"));
    in.require(std::ranges::count(s.points, *s.baseline) == 1, "baseline",
               "must be one of spec.points");
  }
  s.training = in.any("template");
  in.require(s.training.is_object(), "template", "expected the spec of a GanTraining");
  return s;
}

}  // namespace ganscale::controller::scaling_sweep
