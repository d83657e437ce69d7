#pragma once

#include "gan_training/spec/built_in.h"
#include "scaling_sweep/decide/record.h"
#include "scaling_sweep/plan/validate.h"

namespace ganscale::controller::scaling_sweep {

inline const Key kWeak{"team", "weak"};

/// A weak sweep over one, two and four CPU nodes, twice each; `changes` override its spec.
inline ScalingSweep make_sweep(const Json& changes = Json::object()) {
  ScalingSweep sweep;
  sweep.key = kWeak;
  sweep.uid = "u";
  sweep.generation = 1;
  sweep.spec = {{"mode", "Weak"},
                {"points", Json::array({{{"nodes", 1}}, {{"nodes", 2}}, {{"nodes", 4}}})},
                {"batchPerRank", 8},
                {"repeats", 2},
                {"warmup", {{"steps", 5}}},
                {"measure", {{"steps", 20}}},
                {"template", {{"image", "x"}, {"nodeProfile", "cpu"}}}};
  sweep.spec.merge_patch(changes);
  return sweep;
}

inline Checked check(const ScalingSweep& sweep) {
  static const gan_training::NodeProfiles profiles = gan_training::built_in_node_profiles();
  static const gan_training::WorkerSchema schema(gan_training::built_in_worker_schema());
  return check_sweep(sweep, profiles, schema);
}

inline Plan make_plan(const Json& changes = Json::object()) {
  return check(make_sweep(changes)).plan;
}

/// What a worker of so many ranks measured: 20 steps of 8 images on each rank.
inline Measured make_measured(double images_per_second, int ranks = 1) {
  Measured measured;
  measured.steps = 20;
  measured.images_per_second = images_per_second;
  measured.seconds = 20 * 8 * ranks / images_per_second;
  measured.all_reduce_seconds = measured.seconds / 10;
  measured.data_wait_seconds = measured.seconds / 20;
  return measured;
}

/// The result of a run of the plan.
inline Result make_result(const Plan& plan, const SweepRun& run, double images_per_second) {
  const PlannedPoint& point = plan.points[run.point];
  return {.run = run.name,
          .hash = point.hash,
          .measured = make_measured(images_per_second, point.ranks),
          .message = {},
          .nodes = {"a"},
          .image_id = {},
          .restarts = 0};
}

}  // namespace ganscale::controller::scaling_sweep
