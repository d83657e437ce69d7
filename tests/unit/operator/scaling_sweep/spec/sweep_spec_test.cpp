#include "scaling_sweep/spec/sweep_spec.h"

#include "support/expect_error.h"

namespace ganscale::controller::scaling_sweep {
namespace {

/// A strong sweep over one and two nodes; `changes` override its spec.
Json spec_with(const Json& changes = Json::object()) {
  Json spec = {{"mode", "Strong"},
               {"points", Json::array({{{"nodes", 1}}, {{"nodes", 2}, {"gpusPerNode", 4}}})},
               {"template", {{"image", "x"}}}};
  spec.merge_patch(changes);
  return spec;
}

void expect_refused(const Json& changes, const std::string& words) {
  expect_error(ExitCode::kConfig, words, [&] { parse_sweep_spec(spec_with(changes)); });
}

TEST(SweepSpec, HasDefaultsOfAShortSweep) {
  const SweepSpec s = parse_sweep_spec(spec_with());
  EXPECT_EQ(s.mode, Mode::kStrong);
  EXPECT_EQ(s.points, (std::vector<Point>{{1, 0}, {2, 4}}));
  EXPECT_EQ(s.repeats, 3);
  EXPECT_EQ(s.warmup_steps, 50);
  EXPECT_EQ(s.measure_steps, 200);
  EXPECT_FALSE(s.baseline);
  EXPECT_FALSE(s.stop_on_failure);
}

TEST(SweepSpec, ReadsWhatIsThere) {
  const SweepSpec s = parse_sweep_spec(spec_with({{"mode", "Weak"},
                                                  {"batchPerRank", 8},
                                                  {"repeats", 5},
                                                  {"seed", 7},
                                                  {"warmup", {{"steps", 3}}},
                                                  {"measure", {{"steps", 4}}},
                                                  {"baseline", {{"nodes", 2}, {"gpusPerNode", 4}}},
                                                  {"failurePolicy", "Stop"},
                                                  {"suspend", true},
                                                  {"maxConcurrent", 1}}));
  EXPECT_EQ(s.batch_per_rank, 8);
  EXPECT_EQ(s.repeats, 5);
  EXPECT_EQ(s.seed, 7);
  EXPECT_EQ(s.warmup_steps, 3);
  EXPECT_EQ(s.measure_steps, 4);
  EXPECT_EQ(s.baseline, (Point{2, 4}));
  EXPECT_TRUE(s.stop_on_failure);
  EXPECT_TRUE(s.suspend);
}

TEST(SweepSpec, RefusesWithTheKey) {
  expect_refused({{"mode", "Sideways"}}, "spec.mode: must be Strong, Weak or PerLabel: Sideways");
  expect_refused({{"points", Json::array()}}, "spec.points: expected a list of 1 to 32");
  expect_refused({{"points", Json::array({{{"nodes", 0}}})}}, "spec.points[0].nodes");
  expect_refused({{"points", Json::array({{{"nodes", 2}}, {{"nodes", 2}}})}},
                 "spec.points: duplicate point: {\"nodes\":2}");
  expect_refused({{"measure", {{"steps", 0}}}}, "spec.measure.steps");
  expect_refused({{"batchPerRank", 8}}, "spec.batchPerRank: is for mode Weak");
  expect_refused({{"mode", "Weak"}}, "spec.batchPerRank: mode Weak needs");
  expect_refused({{"mode", "PerLabel"}, {"measure", {{"steps", 5}}}},
                 "spec.measure: mode PerLabel");
  expect_refused({{"baseline", {{"nodes", 3}}}}, "spec.baseline: must be one of spec.points");
  expect_refused({{"maxConcurrent", 2}}, "spec.maxConcurrent");
  expect_refused({{"failurePolicy", "Weep"}}, "spec.failurePolicy: must be Continue or Stop: Weep");
  expect_refused({{"template", nullptr}}, "spec.template: expected the spec of a GanTraining");
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
