#include "scaling_sweep/reconcile/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/stored_status.h"
#include "unit/operator/scaling_sweep/reconcile/world.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// The trainings of the default sweep in their order.
std::vector<std::string> planned() {
  std::vector<std::string> names;
  for (const SweepRun& run : make_plan().runs) names.push_back(run.name);
  return names;
}

TEST(SweepReconciler, MakesTheFirstTrainingAsItsOwner) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  EXPECT_THAT(world.made(), ElementsAre(planned()[0]));
  const Json training = world.training(planned()[0]);
  EXPECT_TRUE(is_owned_by(training, "u"));
  EXPECT_EQ(training["metadata"]["labels"][kSweepLabel], "weak");
  EXPECT_EQ(training["spec"]["config"]["measure"]["steps"], 20);
  EXPECT_EQ(world.status()["phase"], "Running");
  EXPECT_EQ(world.status()["done"], "0/6");
  one.reconcile();
  one.reconcile();
  EXPECT_THAT(world.made(), SizeIs(1));
}

TEST(SweepReconciler, RunsEachPointOnceThoughTheOperatorDiesAtEveryStep) {
  SweepWorld world;
  for (int i = 0; i < 60; ++i) {
    SweepOperator one(world.server, world.now);  // which lives for one reconcile
    one.reconcile();
    const std::string current = world.status().value("current", "");
    if (!world.training(current).is_null()) world.end_training(current, "Succeeded", 100);
  }
  EXPECT_EQ(world.made(), planned());
  EXPECT_EQ(world.status()["phase"], "Succeeded");
  EXPECT_EQ(world.status()["done"], "6/6");
  for (const std::string& name : planned()) EXPECT_TRUE(world.training(name).is_null()) << name;
}

TEST(SweepReconciler, MeasuresNothingAgainIfItsCopyIsStale) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  const Json before = world.status();
  world.end_training(planned()[0], "Succeeded", 100);
  SweepOperator behind(world.server, world.now);
  behind.informers.sweeps->list();  // knows of no result
  one.reconcile();                  // stores it and deletes the training
  ASSERT_TRUE(world.training(planned()[0]).is_null());
  behind.informers.trainings->list();
  behind.informers.reports->list();
  try {
    behind.reconciler.reconcile(kWeak);
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), 409);
  }
  EXPECT_THAT(world.made(), SizeIs(1));
}

TEST(SweepReconciler, DeletesNoTrainingOfASpecThatItsCopyDoesNotKnow) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  world.server.edit(kSweeps, kWeak, {{"spec", {{"suspend", true}}}});
  one.reconcile();  // deletes it
  SweepOperator behind(world.server, world.now);
  behind.sync();
  world.server.edit(kSweeps, kWeak, {{"spec", {{"suspend", false}}}});
  one.reconcile();
  one.reconcile();  // makes it again
  ASSERT_FALSE(world.training(planned()[0]).is_null());
  behind.informers.trainings->list();
  EXPECT_THROW(behind.reconciler.reconcile(kWeak), ApiError);
  EXPECT_FALSE(world.training(planned()[0]).is_null());
}

/// Returns a file of the sweep's report.
std::string reported(SweepWorld& world, const std::string& file) {
  const Json report = world.server.get(resource::kConfigMaps, {"team", "weak-report"});
  return report["data"][file].get<std::string>();
}

TEST(SweepReconciler, WritesTheReport) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  EXPECT_TRUE(world.server.get(resource::kConfigMaps, {"team", "weak-report"}).is_null());
  world.end_training(planned()[0], "Succeeded", 123.5);
  one.reconcile();
  const Json report = world.server.get(resource::kConfigMaps, {"team", "weak-report"});
  EXPECT_TRUE(is_owned_by(report, "u"));
  EXPECT_THAT(reported(world, "runs.csv"), HasSubstr("123.500"));
  EXPECT_THAT(reported(world, "report.html"), HasSubstr("<!DOCTYPE html>"));
  // Nothing is written while nothing changes.
  one.reconcile();
  const auto writes = world.server.count("PATCH", "/configmaps/");
  one.reconcile();
  EXPECT_EQ(world.server.count("PATCH", "/configmaps/"), writes);
}

TEST(SweepReconciler, EmptiesTheReportIfAnEditDropsAllResults) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  world.end_training(planned()[0], "Succeeded", 123.5);
  one.reconcile();
  world.server.edit(kSweeps, kWeak, {{"spec", {{"measure", {{"steps", 30}}}}}});
  one.reconcile();
  ASSERT_THAT(world.status()["runs"], SizeIs(0));
  EXPECT_THAT(reported(world, "runs.csv"), Not(HasSubstr("123.500")));
  EXPECT_EQ(Json::parse(reported(world, "report.json"))["status"]["runs"], world.status()["runs"]);
}

TEST(SweepReconciler, ReportsAFailedRun) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  world.end_training(planned()[0], "Failed", 0);
  one.reconcile();
  EXPECT_EQ(world.status()["report"], "weak-report");
  EXPECT_THAT(reported(world, "runs.csv"), HasSubstr("exit code 65"));
}

TEST(SweepReconciler, SaysWhyATrainingGaveNoFigures) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  world.end_training(planned()[0], "Failed", 0);
  one.reconcile();
  EXPECT_EQ(world.status()["runs"][0]["message"], "exit code 65");
  EXPECT_EQ(world.status()["done"], "1/6");
}

TEST(SweepReconciler, TakesNoFiguresOfATrainingThatWasEdited) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  world.server.edit(kTrainings, {"team", planned()[0]}, {{"spec", {{"nodes", 7}}}});
  world.end_training(planned()[0], "Succeeded", 100);
  one.reconcile();
  const Json run = world.status()["runs"][0];
  EXPECT_FALSE(run.contains("measured"));
  EXPECT_THAT(run["message"].get<std::string>(), HasSubstr("was edited"));
  EXPECT_TRUE(world.training(planned()[0]).is_null());
  one.reconcile();
  EXPECT_EQ(world.made(), (std::vector<std::string>{planned()[0], planned()[1]}));
}

TEST(SweepReconciler, ReportsAFaultAndLeavesNoTrainingBehind) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  one.reconcile();
  world.server.edit(kSweeps, kWeak, {{"spec", {{"template", {{"nodeProfile", "dgx-z9"}}}}}});
  one.reconcile();
  EXPECT_TRUE(world.training(planned()[0]).is_null());
  const Json condition = find_condition(world.status(), "Validated");
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "UnknownProfile");
  EXPECT_THAT(condition["message"].get<std::string>(), HasSubstr("spec.template.nodeProfile"));
}

TEST(SweepReconciler, DeletesASweepWhoseTimeIsOver) {
  SweepWorld world(Json{{"ttlSecondsAfterFinished", 60}});
  SweepOperator one(world.server, world.now);
  for (int i = 0; i < 60 && world.status().value("phase", "") != "Succeeded"; ++i) {
    one.reconcile();
    const std::string current = world.status().value("current", "");
    if (!world.training(current).is_null()) world.end_training(current, "Succeeded", 100);
  }
  ASSERT_EQ(world.status()["phase"], "Succeeded");
  one.reconcile();
  EXPECT_FALSE(world.server.get(kSweeps, kWeak).is_null());
  world.now += std::chrono::seconds(60);
  SweepOperator behind(world.server, world.now);
  behind.sync();
  world.server.edit(kSweeps, kWeak, {{"spec", {{"ttlSecondsAfterFinished", 3600}}}});
  EXPECT_THROW(behind.reconciler.reconcile(kWeak), ApiError) << "its copy is behind";
  EXPECT_FALSE(world.server.get(kSweeps, kWeak).is_null());
  world.server.edit(kSweeps, kWeak, {{"spec", {{"ttlSecondsAfterFinished", 60}}}});
  one.reconcile();
  EXPECT_TRUE(world.server.get(kSweeps, kWeak).is_null());
}

TEST(SweepReconciler, LeavesADeletedSweepAlone) {
  SweepWorld world;
  world.server.edit(kSweeps, kWeak, {{"metadata", {{"finalizers", {"foregroundDeletion"}}}}});
  world.server.remove(kSweeps, kWeak);
  SweepOperator one(world.server, world.now);
  EXPECT_EQ(one.reconcile(), std::nullopt);
  EXPECT_THAT(world.made(), SizeIs(0));
}

/// A training with the label of the sweep. owners: its ownerReferences.
Json labeled(const std::string& name, const Json& owners = Json::array()) {
  return {{"metadata",
           {{"name", name},
            {"namespace", "team"},
            {"labels", {{kSweepLabel, "weak"}}},
            {"ownerReferences", owners}}}};
}

TEST(SweepReconciler, AdoptsNoTrainingOfAnotherOwner) {
  Json with_label = labeled(planned()[0]);
  Json without = with_label;
  without["metadata"].erase("labels");
  for (const Json& training : {with_label, without}) {
    SweepWorld world;
    world.server.put(kTrainings, training);
    SweepOperator one(world.server, world.now);
    EXPECT_EQ(one.reconcile(), kLookAgain);
    EXPECT_EQ(one.reconcile(), kLookAgain);  // with the status that the first one stored
    const Json condition = find_condition(world.status(), kReconciled);
    EXPECT_EQ(condition["reason"], "NameTaken");
    EXPECT_THAT(condition["message"].get<std::string>(),
                HasSubstr("gantrainings team/" + planned()[0] + " belongs to another owner"));
    EXPECT_FALSE(world.training(planned()[0])["metadata"].contains("deletionTimestamp"));
  }
}

TEST(SweepReconciler, WaitsForATrainingOfAnEarlierSweepOfTheNameButOfNoOtherOwner) {
  const auto made_next_to = [](const std::string& kind) {
    SweepWorld world;
    const Json owner = {{"kind", kind}, {"name", "weak"}, {"uid", "o"}, {"controller", true}};
    world.server.put(kTrainings, labeled("other", Json::array({owner})));
    SweepOperator one(world.server, world.now);
    one.reconcile();
    return world.made();
  };
  EXPECT_THAT(made_next_to(kKind), SizeIs(0));
  EXPECT_THAT(made_next_to("Workflow"), ElementsAre(planned()[0]));
}

// As of a quota on objects that others use at the same time.
TEST(SweepReconciler, TakesAConflictForNoOtherOwner) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  for (int i = 0; i < 2; ++i) {  // the second with the status that the first one stored
    world.server.fail_next("POST", "/gantrainings", 409, "Conflict");
    EXPECT_THROW(one.reconcile(), ApiError);
  }
  EXPECT_TRUE(find_condition(world.status(), kReconciled).is_null());
  one.reconcile();
  EXPECT_FALSE(world.training(planned()[0]).is_null());
}

TEST(SweepReconciler, NeverOverwritesAConfigMapOfAnotherOwner) {
  SweepWorld world;
  const Key key{"team", "weak-report"};
  world.server.put(
      resource::kConfigMaps,
      {{"metadata", {{"name", key.name}, {"namespace", "team"}}}, {"data", {{"a", "b"}}}});
  const Json before = world.server.get(resource::kConfigMaps, key);
  SweepOperator one(world.server, world.now);
  one.reconcile();
  world.end_training(planned()[0], "Succeeded", 123.5);
  for (int i = 0; i < 4; ++i) one.reconcile();
  EXPECT_EQ(world.server.get(resource::kConfigMaps, key)["data"], before["data"]);
  EXPECT_FALSE(
      world.server.get(resource::kConfigMaps, key)["metadata"].contains("ownerReferences"));
  EXPECT_THAT(find_condition(world.status(), kReconciled)["message"].get<std::string>(),
              HasSubstr("configmaps team/weak-report belongs to another owner"));
  EXPECT_EQ(world.made().size(), 2U) << "the next run is made all the same";
}

TEST(SweepReconciler, ReportsATemplateThatTheServerRefuses) {
  SweepWorld world;
  SweepOperator one(world.server, world.now);
  for (int i = 0; i < 2; ++i) {  // the second with the status that the first one stored
    world.server.fail_next("POST", "/gantrainings", 422, "Invalid", "spec.image: too long");
    EXPECT_EQ(one.reconcile(), kResync);
  }
  EXPECT_THAT(find_condition(world.status(), kReconciled)["message"].get<std::string>(),
              HasSubstr("422: spec.image: too long"));
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
