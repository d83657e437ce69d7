#include "scaling_sweep/plan/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// A sweep within one DGX A100: 1, 2, 4 and 8 GPUs.
const Json kSubNode = {{"points", Json::array({{{"nodes", 1}},
                                               {{"nodes", 1}, {"gpusPerNode", 1}},
                                               {{"nodes", 1}, {"gpusPerNode", 4}},
                                               {{"nodes", 1}, {"gpusPerNode", 2}}})},
                       {"template", {{"nodeProfile", "dgx-a100"}}}};

const Json kPerLabel = {
    {"mode", "PerLabel"},
    {"batchPerRank", nullptr},
    {"warmup", nullptr},
    {"measure", nullptr},
    {"template",
     {{"storage", {{"claimName", "runs"}}},
      {"config", {{"scheme", {{"name", "per_label"}}}, {"training", {{"batch", 32}}}}}}}};

Json strong(const Json& training) {
  return {{"mode", "Strong"},
          {"batchPerRank", nullptr},
          {"template", {{"config", {{"training", training}}}}}};
}

std::string problem(const Json& changes) { return check(make_sweep(changes)).problem; }

TEST(ValidateSweep, GivesEachRankOfAWeakPointTheSameBatch) {
  const Checked checked = check(make_sweep());
  EXPECT_EQ(checked.problem, "");
  ASSERT_EQ(checked.plan.points.size(), 3U);
  EXPECT_EQ(checked.plan.points[2].ranks, 4);
  EXPECT_EQ(checked.plan.points[2].global_batch, 32);
  const Json& training = checked.plan.points[2].training;
  EXPECT_EQ(training["nodes"], 4);
  EXPECT_EQ(training["config"]["training"]["batch"], 32);
  EXPECT_EQ(training["config"]["measure"], (Json{{"warmup_steps", 5}, {"steps", 20}}));
  EXPECT_EQ(checked.plan.runs.size(), 6U);
}

// 25 steps of 32 images; some models would train for less by default.
TEST(ValidateSweep, HasATrainingLastUntilItsWindowIsOver) {
  const Plan plan = make_plan();
  EXPECT_EQ(plan.points[2].training["config"]["training"]["total_kimg"], 1);
  const Plan longer = make_plan({{"measure", {{"steps", 1000}}}});
  EXPECT_EQ(longer.points[2].training["config"]["training"]["total_kimg"], 33);
  const Plan own = make_plan({{"template", {{"config", {{"training", {{"total_kimg", 7}}}}}}}});
  EXPECT_EQ(own.points[2].training["config"]["training"]["total_kimg"], 7);
}

TEST(ValidateSweep, RefusesABatchOfMoreImagesThanCanBeCounted) {
  EXPECT_THAT(problem(strong({{"batch", std::numeric_limits<std::int64_t>::max()}})),
              StartsWith("spec.template.config.training.batch: expected an integer above 0 and at "
                         "most 2147483647"));
}

TEST(ValidateSweep, TakesARatioThatOneNodeHasTooFewRanksFor) {
  const Json asynchronous = {
      {"points", Json::array({{{"nodes", 4}}, {{"nodes", 8}}})},
      {"batchPerRank", 12},
      {"template", {{"config", {{"scheme", {{"name", "asynchronous"}, {"ratio", "1:3"}}}}}}}};
  EXPECT_EQ(problem(asynchronous), "");
  Json odd = asynchronous;
  odd["points"] = Json::array({{{"nodes", 6}}});
  EXPECT_THAT(problem(odd), StartsWith("spec.template.config.scheme.ratio: its sum must divide"));
}

TEST(ValidateSweep, NamesTheBatchOfARankIfAWeakPointCannotShareItsBatch) {
  const Json passes = {{"template", {{"config", {{"training", {{"accumulate", 3}}}}}}},
                       {"batchPerRank", 8},
                       {"points", Json::array({{{"nodes", 3}}})}};
  EXPECT_EQ(
      problem(passes),
      "spec.batchPerRank: the batch of all ranks: must be divisible by the number of ranks times "
      "training.accumulate, 3: 24 on 3 (point n3)");
}

TEST(ValidateSweep, RefusesAPointTwiceInOtherWords) {
  Json twice = kSubNode;
  twice["points"].push_back({{"nodes", 1}, {"gpusPerNode", 8}});
  EXPECT_EQ(problem(twice), "spec.points: n1 and n1g8 have the same nodes and 8 ranks");
}

TEST(ValidateSweep, SortsPointsByRanksAndTakesTheFewestForTheBaseline) {
  const Checked checked = check(make_sweep(kSubNode));
  EXPECT_EQ(checked.problem, "");
  std::vector<int> ranks;
  for (const PlannedPoint& point : checked.plan.points) ranks.push_back(point.ranks);
  EXPECT_EQ(ranks, (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(checked.plan.baseline, 0U);
  EXPECT_EQ(run_name(kWeak, checked.plan.points[1].point, 2), "weak-n1g2-r2");
  Json chosen = kSubNode;
  chosen["baseline"] = {{"nodes", 1}, {"gpusPerNode", 4}};
  EXPECT_EQ(check(make_sweep(chosen)).plan.baseline, 2U);
}

TEST(ValidateSweep, KeepsTheBatchOfAStrongSweep) {
  const Checked checked = check(make_sweep(strong({{"batch", 64}})));
  EXPECT_EQ(checked.problem, "");
  for (const PlannedPoint& point : checked.plan.points) EXPECT_EQ(point.global_batch, 64);
}

TEST(ValidateSweep, GivesEachRankALabel) {
  const Checked checked = check(make_sweep(kPerLabel));
  EXPECT_EQ(checked.problem, "");
  const Json& config = checked.plan.points[1].training["config"];
  EXPECT_EQ(config["scheme"]["labels"], (Json::array({0, 1})));
  EXPECT_FALSE(config.contains("measure"));
  EXPECT_EQ(checked.plan.points[1].global_batch, 0) << "32 images of each rank in its own steps";
  Json listed = kPerLabel;
  listed["template"]["config"]["scheme"]["labels"] = {7, 3, 5};
  EXPECT_EQ(problem(listed),
            "spec.template.config.scheme.labels: a rank needs a label: 4 ranks, [7,3,5]");
}

TEST(ValidateSweep, NamesTheKeyThatIsWrong) {
  EXPECT_THAT(problem(strong({{"batch", 6}})),
              StartsWith("spec.template.config.training.batch: must be divisible by the number of "
                         "ranks: 6 on 4 (point n4)"));
  EXPECT_THAT(problem(strong({{"tick_kimg", 4}})),
              StartsWith("spec.template.config.training.batch: mode Strong needs"));
  EXPECT_THAT(problem(strong({{"batch", 64}, {"bach", 1}})),
              HasSubstr("spec.template.config.training"));
  EXPECT_THAT(
      problem(strong({{"batch", 64}, {"total_kimg", 1}})),
      StartsWith("spec.template.config.training.total_kimg: is less than warm-up and window"));
  EXPECT_THAT(problem({{"template", {{"nodeProfile", "dgx-z9"}}}}),
              StartsWith("spec.template.nodeProfile: unknown: dgx-z9"));
  EXPECT_THAT(problem({{"template", {{"nodes", 3}}}}), StartsWith("spec.template.nodes: "));
  EXPECT_THAT(problem({{"template", {{"ttlSecondsAfterFinished", 0}}}}),
              StartsWith("spec.template.ttlSecondsAfterFinished: set by the sweep"));
  EXPECT_THAT(problem({{"template", {{"config", {{"training", {{"batch", 8}}}}}}}}),
              StartsWith("spec.template.config.training.batch: mode Weak uses spec.batchPerRank"));
  EXPECT_THAT(problem({{"template", {{"config", {{"scheme", {{"name", "per_label"}}}}}}}}),
              StartsWith("spec.template.config.scheme.name: mode PerLabel requires per_label"));
  EXPECT_THAT(problem(strong({{"batch", 64}, {"total_kimg", "x"}})),
              HasSubstr("spec.template.config.training.total_kimg"));
  Json conditional = kPerLabel;
  conditional["template"]["config"]["model"] = {{"name", "conditional_dcgan"}};
  EXPECT_THAT(problem(conditional),
              StartsWith("spec.template.config.model.name: not allowed here"));
  EXPECT_THAT(problem({{"template", {{"podTemplate", {{"worker", {{"spec", {{"volume", 1}}}}}}}}}}),
              StartsWith("spec.template.podTemplate.worker.spec.volume: can't be set"));
  Json many = kSubNode;
  many["points"][1]["gpusPerNode"] = 16;
  EXPECT_EQ(problem(many), "spec.points: gpusPerNode exceeds the GPUs of a node: 16 of 8");
  ScalingSweep sweep = make_sweep();
  sweep.key.name = "a-name-that-is-far-too-long-for-pods";
  EXPECT_THAT(check(sweep).problem, StartsWith("metadata.name: must have at most 27 characters"));
}

// The operator takes these of a GanTraining that is stored, but the API server stores none.
TEST(ValidateSweep, RefusesATemplateWhoseTrainingsTheApiServerWouldRefuse) {
  const auto refused = [](const Json& changes) {
    const Checked checked = check(make_sweep({{"template", changes}}));
    EXPECT_EQ(checked.reason, "BadTemplate") << changes;
    return checked.problem;
  };
  EXPECT_EQ(
      refused({{"imagePullPolicy", "Sometimes"}}),
      "spec.template.imagePullPolicy: must be one of [\"Always\",\"IfNotPresent\",\"Never\"]: "
      "\"Sometimes\" (point n1)");
  EXPECT_THAT(refused({{"nodeProfile", nullptr}, {"node", {{"cpu", "1e1"}}}}),
              StartsWith("spec.template.node.cpu: must match "));
  EXPECT_THAT(refused({{"storage", {{"claimName", "runs"}, {"path", "runs"}}}}),
              StartsWith("spec.template.storage.path: must match ^/[^:]*$: \"runs\""));
  EXPECT_THAT(refused({{"queueName", ""}, {"schedulerName", ""}}),
              AllOf(HasSubstr("spec.template.queueName: must match"),
                    HasSubstr("; spec.template.schedulerName: must match")));
  EXPECT_THAT(refused({{"imagePulPolicy", "Always"}}),
              StartsWith("spec.template.imagePulPolicy: unknown field"));
}

TEST(ValidateSweep, KeepsTheKeyOfANameThatNoTrainingMayHave) {
  ScalingSweep sweep = make_sweep();
  sweep.key.name = "8weak";
  EXPECT_THAT(check(sweep).problem, StartsWith("metadata.name must begin with a letter"));
}

TEST(ValidateSweep, LimitsRestartsUnlessTheTemplateDoes) {
  const auto restarts = [](const Json& policy) {
    return make_plan({{"template", {{"restartPolicy", policy}}}})
        .points[0]
        .training["restartPolicy"];
  };
  EXPECT_EQ(make_plan().points[0].training["restartPolicy"], (Json{{"maxRestarts", 2}}));
  EXPECT_EQ(restarts({{"backoffSeconds", 1}}), (Json{{"maxRestarts", 2}, {"backoffSeconds", 1}}));
  EXPECT_EQ(restarts({{"maxRestarts", 7}}), (Json{{"maxRestarts", 7}}));
  EXPECT_EQ(problem({{"template", {{"restartPolicy", 3}}}}),
            "spec.template.restartPolicy: expected an object: 3");
}

// A run that was interrupted would resume, and end before its window does.
TEST(ValidateSweep, GivesEveryRunThePodTemplate) {
  const Json pods = {{"worker", {{"spec", {{"runtimeClassName", "nvidia"}}}}}};
  for (const PlannedPoint& point : make_plan({{"template", {{"podTemplate", pods}}}}).points) {
    EXPECT_EQ(point.training["podTemplate"], pods);
  }
}

TEST(ValidateSweep, ChangesTheHashOnlyWithTheContentOfARun) {
  const std::string hash = make_plan().points[1].hash;
  EXPECT_EQ(
      make_plan({{"repeats", 5}, {"suspend", true}, {"failurePolicy", "Stop"}}).points[1].hash,
      hash);
  EXPECT_NE(make_plan({{"measure", {{"steps", 21}}}}).points[1].hash, hash);
  EXPECT_NE(make_plan({{"template", {{"image", "y"}}}}).points[1].hash, hash);
}

TEST(ValidateSweep, HasAMessageForAnyValue) {
  const std::vector<Json> odd{nullptr,
                              true,
                              -1,
                              1e300,
                              "",
                              "a\u202eb",
                              Json::array(),
                              Json::array({nullptr}),
                              Json::object(),
                              {{"name", 3}},
                              {{"config", 3}},
                              {{"config", {{"scheme", 3}}}}};
  for (const char* field :
       {"mode", "points", "batchPerRank", "repeats", "seed", "warmup", "measure", "baseline",
        "failurePolicy", "suspend", "template", "maxConcurrent"}) {
    for (const Json& value : odd) {
      ScalingSweep sweep = make_sweep();
      sweep.spec[field] = value;
      Checked checked;
      EXPECT_NO_THROW(checked = check(sweep)) << field << value;
      EXPECT_EQ(checked.reason.empty(), checked.problem.empty()) << field << value;
    }
  }
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
