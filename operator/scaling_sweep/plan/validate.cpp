#include "scaling_sweep/plan/validate.h"

#include <algorithm>
#include <ranges>

#include "base/joined.h"
#include "definition/definition.h"
#include "gan_training/plan/validate.h"
#include "kind/refusal.h"
#include "kind/spec_hash.h"
#include "object/lookup.h"
#include "scaling_sweep/plan/run_order.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using Pointer = Json::json_pointer;

constexpr std::size_t kLongestName = 27;  // weak-n4096g64-r20 is a GanTraining's, of 40 at most

/// The fault of a training, with the key as it is in the template.
std::string in_template(const std::string& problem) {
  if (problem.starts_with("metadata.")) return problem;  // which follows from the sweep's
  return problem.starts_with("spec.") ? "spec.template." + problem.substr(5)
                                      : "spec.template: " + problem;
}

/// What the API server accepts of a GanTraining. Parsed once: each reconcile checks a sweep.
const Definition& training_definition() {
  static const std::vector<Definition> all = built_in_definitions();
  return *std::ranges::find(all, gan_training::kKind, &Definition::kind);
}

/// Checks what the sweep itself decides and what a template can't hold.
void check_template(const SweepSpec& spec) {
  for (const char* field :
       {"nodes", "gpusPerNode", "suspend", "ttlSecondsAfterFinished", "configFrom"}) {
    if (!spec.training.contains(field)) continue;
    const bool is_config = std::string(field) == "configFrom";
    throw Refusal{"BadTemplate", std::string("spec.template.") + field + ": " +
                                     (is_config ? "put the configuration in template.config"
                                                : "set by the sweep: leave it out")};
  }
  const Json config = spec.training.value("config", Json());
  const bool is_per_label = gan_training::sharing_of(config) == wire::Sharing::kLabels;
  if (is_per_label != (spec.mode == Mode::kPerLabel)) {
    throw Refusal{"BadTemplate",
                  "spec.template.config.scheme.name: mode PerLabel requires per_label, and the "
                  "other modes exclude it"};
  }
  const Pointer batch("/config/training/batch");
  const bool has_batch = spec.training.contains(batch);
  if (has_batch && spec.mode == Mode::kWeak) {
    throw Refusal{"BadTemplate",
                  "spec.template.config.training.batch: mode Weak uses spec.batchPerRank"};
  }
  if (!has_batch && spec.mode == Mode::kStrong) {
    throw Refusal{"BadTemplate",
                  "spec.template.config.training.batch: mode Strong needs the batch, which all "
                  "points share"};
  }
}

/// Checks and completes the points of one sweep.
class PointPlanner {
 public:
  PointPlanner(const Plan& plan, const gan_training::NodeProfiles& profiles,
               const gan_training::WorkerSchema& schema)
      : spec_(plan.spec), key_(plan.key), profiles_(profiles), schema_(schema) {
    // Without what depends on the number of ranks, which only a point has.
    Json whole_node = spec_.training;
    erase_batch(whole_node);
    const Pointer config("/config");
    if (whole_node.contains(config) && whole_node[config].is_object()) {
      whole_node[config].erase("scheme");
    }
    node_gpus_ = check(whole_node, "").profile.gpus;
  }

  PlannedPoint plan(const Point& point) const {
    const std::string name = " (point " + point_name(point) + ")";
    if (point.gpus_per_node > node_gpus_) {
      throw Refusal{"BadPoint", "spec.points: gpusPerNode " +
                                    gan_training::too_many_gpus(point.gpus_per_node, node_gpus_)};
    }
    PlannedPoint planned;
    planned.point = point;
    planned.ranks = ranks(point, name);
    planned.training = training_spec(spec_, point, planned.ranks);
    const gan_training::Plan checked = check(planned.training, name);
    planned.gpus = checked.gpus();
    if (spec_.mode != Mode::kPerLabel) {
      planned.global_batch = checked.config.value(Pointer("/training/batch"), std::int64_t{0});
    }
    check_length(checked.config, planned.global_batch, name);
    require_accepted(run_name(key_, point, spec_.repeats), planned.training, name);
    planned.hash = spec_hash(planned.training.dump());
    return planned;
  }

 private:
  gan_training::Plan check(const Json& training, const std::string& where) const {
    gan_training::GanTraining object;
    object.key = key_;
    object.spec = training;
    auto checked = gan_training::check_training(object, profiles_, schema_, {});
    if (!checked.problem.empty()) {
      throw Refusal{checked.reason, in_sweep(checked.problem) + where};
    }
    return std::move(checked.plan);
  }

  /// The fault of a training, with the key as it is in the sweep.
  std::string in_sweep(const std::string& problem) const {
    constexpr std::string_view kBatch = "spec.config.training.batch:";
    if (spec_.mode != Mode::kWeak || !problem.starts_with(kBatch)) return in_template(problem);
    return "spec.batchPerRank: the batch of all ranks" + problem.substr(kBatch.size() - 1);
  }

  /// What the API server refuses would be sent to it again and again.
  static void require_accepted(const std::string& name, const Json& training,
                               const std::string& where) {
    const auto faults = training_definition().faults({{"apiVersion", gan_training::kApiVersion},
                                                      {"kind", gan_training::kKind},
                                                      {"metadata", {{"name", name}}},
                                                      {"spec", training}});
    if (faults.empty()) return;
    throw Refusal{"BadTemplate", joined(std::views::transform(faults, in_template), "; ") + where};
  }

  static void erase_batch(Json& training) {
    const Pointer section("/config/training");
    if (training.contains(section) && training[section].is_object()) {
      training[section].erase("batch");
    }
  }

  int ranks(const Point& point, const std::string& where) const {
    Json training = spec_.training;
    erase_batch(training);
    training["nodes"] = point.nodes;
    if (point.gpus_per_node > 0) training["gpusPerNode"] = point.gpus_per_node;
    return check(training, where).ranks();
  }

  /// A training that is over before its window says nothing.
  void check_length(const Json& config, std::int64_t batch, const std::string& where) const {
    const Json total = config.value(Pointer("/training/total_kimg"), Json());
    const double steps = spec_.warmup_steps + spec_.measure_steps;
    if (!total.is_number() || steps * static_cast<double>(batch) <= total.get<double>() * 1000) {
      return;
    }
    throw Refusal{"BadTemplate",
                  "spec.template.config.training.total_kimg: is less than warm-up and window: " +
                      std::to_string(spec_.warmup_steps + spec_.measure_steps) + " steps of " +
                      std::to_string(batch) + " images" + where};
  }

  const SweepSpec& spec_;
  const Key& key_;
  const gan_training::NodeProfiles& profiles_;
  const gan_training::WorkerSchema& schema_;
  int node_gpus_ = 0;
};

/// A point that is another one in other words would be measured twice under two names.
void check_sizes(const std::vector<PlannedPoint>& points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const PlannedPoint& last = points[i - 1];
    const PlannedPoint& point = points[i];
    if (last.point.nodes != point.point.nodes || last.ranks != point.ranks) continue;
    throw Refusal{"BadPoint", "spec.points: " + point_name(last.point) + " and " +
                                  point_name(point.point) + " have the same nodes and " +
                                  std::to_string(point.ranks) + " ranks"};
  }
}

std::size_t baseline_of(const Plan& plan) {
  if (!plan.spec.baseline) return 0;
  const auto found = std::ranges::find(plan.points, *plan.spec.baseline, &PlannedPoint::point);
  return static_cast<std::size_t>(found - plan.points.begin());
}

void fill(Plan& plan, const Json& spec, const gan_training::NodeProfiles& profiles,
          const gan_training::WorkerSchema& schema) {
  plan.spec = parse_sweep_spec(spec);
  plan.stored_spec = spec;
  if (plan.key.name.size() > kLongestName) {
    throw Refusal{"BadName", "metadata.name: must have at most " + std::to_string(kLongestName) +
                                 " characters: " + plan.key.name};
  }
  check_template(plan.spec);
  const PointPlanner planner(plan, profiles, schema);
  for (const Point& point : plan.spec.points) plan.points.push_back(planner.plan(point));
  std::ranges::stable_sort(plan.points, {},
                           [](const PlannedPoint& p) { return std::pair(p.ranks, p.point); });
  check_sizes(plan.points);
  plan.baseline = baseline_of(plan);
  plan.runs = run_order(plan.key, plan.points, plan.spec.repeats, plan.spec.seed);
}

}  // namespace

Checked check_sweep(const ScalingSweep& sweep, const gan_training::NodeProfiles& profiles,
                    const gan_training::WorkerSchema& schema) {
  Checked checked;
  checked.plan.key = sweep.key;
  checked.plan.uid = sweep.uid;
  const Refusal refusal = refusal_of([&] { fill(checked.plan, sweep.spec, profiles, schema); });
  checked.reason = refusal.reason;
  checked.problem = refusal.problem;
  return checked;
}

}  // namespace ganscale::controller::scaling_sweep
