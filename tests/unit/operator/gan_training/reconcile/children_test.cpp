#include "gan_training/reconcile/children.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Children, ArePutBackAndTheEventNamesTheFieldThatWasChanged) {
  World world;
  world.run();
  const Json policy = world.server.get(resource::kNetworkPolicies, kFaces);
  world.server.edit(resource::kNetworkPolicies, kFaces, {{"spec", {{"ingress", Json::array()}}}});
  world.server.edit(resource::kConfigMaps, {"team", "faces-settings"},
                    {{"data", {{"config.yaml", "model: {}"}}}});
  world.settle();
  EXPECT_EQ(world.server.get(resource::kNetworkPolicies, kFaces)["spec"], policy["spec"]);
  EXPECT_THAT(
      world.told("PutBack"),
      ElementsAre("configmaps faces-settings: data.config.yaml was changed and has been restored",
                  "networkpolicies faces: spec.ingress was changed and has been restored"));
}

TEST(Children, AreMadeAgainWithoutAnEventAboutAField) {
  World world;
  world.run();
  world.server.remove(resource::kBudgets, kFaces);
  world.settle();
  EXPECT_FALSE(world.server.get(resource::kBudgets, kFaces).is_null());
  EXPECT_THAT(world.told("PutBack"), IsEmpty());
}

TEST(Children, OfAnotherOwnerAreLeftAsTheyAreWhileTheOthersArePutBack) {
  World world;
  world.run();
  world.server.edit(
      resource::kNetworkPolicies, kFaces,
      {{"metadata", {{"ownerReferences", Json::array()}}}, {"spec", {{"ingress", Json::array()}}}});
  world.server.edit(resource::kBudgets, kFaces, {{"spec", {{"minAvailable", 7}}}});
  EXPECT_EQ(world.reconcile(), std::chrono::seconds(10));
  EXPECT_TRUE(world.server.get(resource::kNetworkPolicies, kFaces)["spec"]["ingress"].empty());
  EXPECT_EQ(world.server.get(resource::kBudgets, kFaces)["spec"]["minAvailable"], 0);
  EXPECT_EQ(world.condition("Reconciled")["reason"], "NameTaken");
  EXPECT_EQ(world.condition("Reconciled")["message"],
            "the name is taken: networkpolicies team/faces belongs to another owner and is left as "
            "it is; delete or rename it, or choose another name");
}

/// An object of another owner, by the name that a child of the training needs.
Json foreign(const std::string& name) {
  return {{"metadata", {{"name", name}, {"namespace", "team"}}}, {"data", {{"theirs", "x"}}}};
}

TEST(Children, AreNotMadeOverObjectsOfOtherOwners) {
  for (const auto& [resource, name] :
       {std::pair{resource::kConfigMaps, "faces-settings"},
        std::pair{resource::kNetworkPolicies, "faces"},
        std::pair{resource::kSecrets, "faces-control"}, std::pair{kMpiJobs, "faces-r1"}}) {
    World world;
    const Key key{"team", name};
    world.server.put(resource, foreign(name));
    const Json before = world.server.get(resource, key);
    world.server.put(kTrainings, make_training());
    for (int i = 0; i < 5; ++i) world.reconcile();
    EXPECT_EQ(world.server.get(resource, key), before) << name;
    EXPECT_EQ(world.condition("Reconciled")["reason"], "NameTaken") << name;
    EXPECT_NE(world.status()["phase"], Json()) << name;
    world.server.remove(kTrainings, kFaces);
    world.settle();
    EXPECT_TRUE(world.training().is_null()) << name;
    EXPECT_EQ(world.server.get(resource, key), before) << name;
  }
}

TEST(Children, AreMadeOnceTheirNameIsFree) {
  World world;
  world.server.put(resource::kConfigMaps, foreign("faces-settings"));
  world.server.put(kTrainings, make_training());
  for (int i = 0; i < 3; ++i) world.reconcile();
  EXPECT_EQ(world.status()["phase"], "Pending");
  world.server.remove(resource::kConfigMaps, {"team", "faces-settings"});
  world.settle();
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_EQ(world.condition("Reconciled")["status"], "True");
  EXPECT_EQ(world.told("ReconcileFailed").size(), 1U);
}

TEST(Children, OfThisTrainingThatOurCopyLacksAreApplied) {
  World world;
  world.run();
  // Without its label no informer shows it any more.
  world.server.edit(resource::kConfigMaps, {"team", "faces-settings"},
                    {{"metadata", {{"labels", nullptr}}}, {"data", {{"config.yaml", "x"}}}});
  world.sync();
  world.informers.config_maps = std::make_unique<Informer>(
      [&] { return world.server.connect(); }, hooks_without_sleep(),
      Informer::Settings{.resource = resource::kConfigMaps}, [](const Json&) {});
  world.reconciler.reconcile(kFaces);
  const Json map = world.server.get(resource::kConfigMaps, {"team", "faces-settings"});
  EXPECT_NE(map["data"]["config.yaml"], "x");
  EXPECT_EQ(map["metadata"]["labels"][kTrainingLabel], "faces");
}

TEST(Children, OfAnotherOwnerDoNotDelayTheEndOfAnAttempt) {
  World world;
  world.run();
  world.server.edit(resource::kConfigMaps, {"team", "faces-settings"},
                    {{"metadata", {{"ownerReferences", Json::array()}}}});
  world.server.edit(resource::kPods, {"team", "faces-r1-worker-0"},
                    {{"status", {{"phase", "Failed"}}}});
  world.reconcile();
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null()) << "its nodes are free";
}

TEST(Children, MayHaveFieldsThatAreNotOurs) {
  World world;
  world.run();
  world.server.edit(resource::kNetworkPolicies, kFaces,
                    {{"metadata", {{"annotations", {{"team", "faces"}}}}}});
  const std::size_t before = world.writes();
  world.settle();
  EXPECT_EQ(world.writes(), before);
}

TEST(Children, OfALiveAttemptIncludeItsMpiJob) {
  World world;
  world.run();
  world.server.edit(kMpiJobs, World::job_key(1), {{"spec", {{"slotsPerWorker", 9}}}});
  world.settle();
  EXPECT_EQ(world.server.get(kMpiJobs, World::job_key(1))["spec"]["slotsPerWorker"], 1);
  EXPECT_EQ(world.told("PutBack").size(), 1U);
}

/// Another's tolerations on the MPIJob's workers, as a queue gives them.
void tolerate(World& world) {
  const Json tolerations = Json::array({{{"key", "flavor"}, {"operator", "Exists"}}});
  world.server.edit(
      kMpiJobs, World::job_key(1),
      {{"spec",
        {{"mpiReplicaSpecs",
          {{"Worker", {{"template", {{"spec", {{"tolerations", tolerations}}}}}}}}}}}});
}

TEST(Children, KeepTheTolerationsThatAQueueGaveThem) {
  World queued;
  queued.run({{"queueName", "research"}});
  tolerate(queued);
  queued.settle();
  EXPECT_THAT(queued.told("PutBack"), IsEmpty());
  World free;
  free.run();
  tolerate(free);
  free.settle();
  EXPECT_THAT(free.told("PutBack"), ElementsAre("mpijobs faces-r1: "
                                                "spec.mpiReplicaSpecs.Worker.template.spec."
                                                "tolerations was changed and has been restored"));
}

TEST(Children, KeepTheTolerationsOfAQueueThatTheSpecDoesNotName) {
  World world;
  world.run();
  world.server.edit(kMpiJobs, World::job_key(1),
                    {{"metadata", {{"labels", {{kQueueLabel, "default"}}}}}});
  tolerate(world);
  world.settle();
  world.server.edit(kTrainings, kFaces, {{"spec", {{"checkpointDeadlineSeconds", 7}}}});
  world.settle();
  world.server.edit(kMpiJobs, World::job_key(1), {{"spec", {{"slotsPerWorker", 9}}}});
  world.settle();
  const Json job = world.server.get(kMpiJobs, World::job_key(1));
  EXPECT_EQ(job["metadata"]["annotations"][kRequestAnnotation], "2");
  EXPECT_EQ(job["spec"]["slotsPerWorker"], 1);
  EXPECT_EQ(text_at(job, "/spec/mpiReplicaSpecs/Worker/template/spec/tolerations/0/key"), "flavor")
      << "also when another field is put back";
  EXPECT_THAT(world.told("PutBack"), ElementsAre(HasSubstr("spec.slotsPerWorker was changed")));
}

TEST(Children, KeepTheTolerationsOfAnMpiJobThatOurCopyLacks) {
  World world;
  world.run({{"queueName", "research"}});
  tolerate(world);
  // Without its label no informer shows it any more.
  world.server.edit(kMpiJobs, World::job_key(1), {{"metadata", {{"labels", nullptr}}}});
  world.server.edit(kMpiJobs, World::job_key(1),
                    {{"metadata", {{"labels", {{kQueueLabel, "research"}}}}}});
  world.sync();
  world.informers.jobs =
      std::make_unique<Informer>([&] { return world.server.connect(); }, hooks_without_sleep(),
                                 Informer::Settings{.resource = kMpiJobs}, [](const Json&) {});
  const std::size_t made = world.server.count("POST", "/mpijobs");
  world.reconciler.reconcile(kFaces);
  const Json job = world.server.get(kMpiJobs, World::job_key(1));
  EXPECT_EQ(job["metadata"]["labels"].value(kTrainingLabel, ""), "faces");
  EXPECT_EQ(text_at(job, "/spec/mpiReplicaSpecs/Worker/template/spec/tolerations/0/key"), "flavor");
  EXPECT_EQ(world.server.count("POST", "/mpijobs"), made);
}

// Kueue's webhook may not let them change.
TEST(Children, KeepTheLabelsForTheQueueThatTheirAttemptWasMadeWith) {
  const std::string priority = "kueue.x-k8s.io/priority-class";
  const std::string other = "kueue.x-k8s.io/max-exec-time-seconds";
  const auto label = [&](World& world, const Json& labels) {
    world.server.edit(kTrainings, kFaces, {{"metadata", {{"labels", labels}}}});
    world.settle();
  };
  World world;
  world.run({{"queueName", "research"}});
  const std::size_t patches = world.server.count("PATCH", "/mpijobs/");
  label(world, {{priority, "high"}});
  EXPECT_EQ(world.server.count("PATCH", "/mpijobs/"), patches);
  world.server.edit(resource::kPods, {"team", "faces-r1-worker-0"},
                    {{"status", {{"phase", "Failed"}}}});
  world.settle();
  world.server.remove(resource::kPods, {"team", "faces-r1-worker-0"});
  world.now += std::chrono::seconds(10);
  world.settle();
  const auto labels = [&] {
    return world.server.get(kMpiJobs, World::job_key(2))["metadata"]["labels"];
  };
  EXPECT_EQ(labels().value(priority, ""), "high") << "of the next attempt";
  label(world, {{priority, nullptr}, {other, "60"}});
  world.server.edit(kMpiJobs, World::job_key(2), {{"spec", {{"slotsPerWorker", 9}}}});
  world.settle();
  EXPECT_EQ(labels().value(priority, ""), "high") << "also when a field is put back";
  EXPECT_FALSE(labels().contains(other));
  EXPECT_EQ(labels()[kQueueLabel], "research");
  EXPECT_THAT(world.told("PutBack"), ElementsAre(HasSubstr("spec.slotsPerWorker was changed")));
}

TEST(Children, StayAsTheyAreWhileTheirTrainingLeavesANode) {
  World world;
  world.run();
  world.server.edit(resource::kPods, {"team", "faces-r1-worker-0"},
                    {{"spec", {{"nodeName", "dgx-3"}}}});
  world.server.put(resource::kNodes,
                   {{"metadata", {{"name", "dgx-3"}}}, {"spec", {{"unschedulable", true}}}});
  world.settle();
  EXPECT_EQ(world.status()["ending"]["reason"], "Disruption");
  world.set_job_condition(1, "Succeeded");
  world.settle();
  EXPECT_EQ(world.status()["restarts"], 1);
  EXPECT_THAT(world.told("PutBack"), IsEmpty());
}

TEST(Children, GuardTheNodesOfAnAttemptUntilItHasWrittenItsCheckpoint) {
  World world;
  world.run({{"nodes", 4}});
  for (const int nodes : {2, 8}) {
    world.server.edit(kTrainings, kFaces, {{"spec", {{"nodes", nodes}}}});
    world.settle();
    EXPECT_EQ(world.status()["ending"]["reason"], "Resize");
    EXPECT_EQ(world.server.get(resource::kBudgets, kFaces)["spec"]["minAvailable"], 3) << nodes;
  }
}

TEST(Children, FollowAnEditOfTheTrainingWithoutAnEventAboutAField) {
  World world;
  world.run();
  const Key map{"team", "faces-settings"};
  const auto text = [&] {
    return text_at(world.server.get(resource::kConfigMaps, map), "/data/config.yaml");
  };
  world.server.edit(kTrainings, kFaces, {{"spec", {{"config", {{"training", {{"batch", 16}}}}}}}});
  world.settle();
  EXPECT_EQ(world.status()["ending"]["reason"], "ConfigChange");
  EXPECT_THAT(text(), HasSubstr("16"));
  world.set_job_condition(1, "Succeeded");
  world.server.remove(resource::kPods, {"team", "faces-r1-worker-0"});
  world.settle();
  EXPECT_EQ(world.status()["attempt"]["number"], 2);
  world.server.edit(resource::kConfigMaps, map, {{"data", {{"config.yaml", "model: {}"}}}});
  world.settle();
  EXPECT_THAT(text(), HasSubstr("16"));
  EXPECT_THAT(world.told("PutBack"), ElementsAre(HasSubstr("data.config.yaml was changed")))
      << "by the other, once";
}

TEST(Children, ThatOthersChangeWhileAnEditWaitsArePutBackWithAnEvent) {
  World world;
  world.run();
  world.server.edit(kTrainings, kFaces, {{"spec", {{"config", {{"training", {{"batch", 16}}}}}}}});
  world.settle();
  world.server.edit(resource::kNetworkPolicies, kFaces, {{"spec", {{"ingress", Json::array()}}}});
  world.server.edit(resource::kConfigMaps, {"team", "faces-settings"},
                    {{"data", {{"config.yaml", "model: {}"}}}});
  world.settle();
  EXPECT_EQ(world.status()["ending"]["reason"], "ConfigChange") << "it still waits";
  EXPECT_THAT(
      world.told("PutBack"),
      ElementsAre("configmaps faces-settings: data.config.yaml was changed and has been restored",
                  "networkpolicies faces: spec.ingress was changed and has been restored"));
}

TEST(Children, ThatOthersChangeWhileAnEditIsRefusedArePutBackWithAnEventOnceItIsMended) {
  World world;
  world.run();
  world.server.edit(kTrainings, kFaces, {{"spec", {{"nodeProfile", "dgx-z9"}}}});
  world.settle();
  EXPECT_EQ(world.condition("Validated")["reason"], "UnknownProfile");
  world.server.edit(resource::kNetworkPolicies, kFaces, {{"spec", {{"ingress", Json::array()}}}});
  world.settle();
  world.server.edit(kTrainings, kFaces, {{"spec", {{"nodeProfile", "cpu"}}}});
  world.settle();
  EXPECT_FALSE(world.server.get(resource::kNetworkPolicies, kFaces)["spec"]["ingress"].empty());
  EXPECT_THAT(world.told("PutBack"), ElementsAre(HasSubstr("spec.ingress was changed")));
}

/// Has the ConfigMap as another version of the operator made it, with a hash or null.
void remake(World& world, const Json& hash) {
  world.server.edit(resource::kConfigMaps, {"team", "faces-settings"},
                    {{"metadata", {{"annotations", {{kContentHashAnnotation, hash}}}}},
                     {"data", {{"config.yaml", "model: {}"}}}});
  world.settle();
  const Json map = world.server.get(resource::kConfigMaps, {"team", "faces-settings"});
  EXPECT_NE(map["data"]["config.yaml"], "model: {}");
  EXPECT_NE(map["metadata"]["annotations"].value(kContentHashAnnotation, "theirs"), "theirs");
}

TEST(Children, FollowAnotherVersionOfTheOperatorWithoutAnEventAboutAField) {
  World world;
  world.run();
  remake(world, "theirs");
  EXPECT_THAT(world.told("PutBack"), IsEmpty());
}

TEST(Children, OfAVersionThatWroteNoHashArePutBackWithAnEvent) {
  World world;
  world.run();
  remake(world, nullptr);
  EXPECT_THAT(world.told("PutBack"), ElementsAre(HasSubstr("data.config.yaml was changed")));
}

TEST(Children, OfAVersionThatWroteNoHashGetOneWithoutAnEvent) {
  World world;
  world.run();
  world.server.edit(resource::kBudgets, kFaces, {{"metadata", {{"annotations", nullptr}}}});
  world.settle();
  const Json budget = world.server.get(resource::kBudgets, kFaces);
  EXPECT_NE(annotation_of(budget, kContentHashAnnotation), "");
  EXPECT_THAT(world.told("PutBack"), IsEmpty());
}

TEST(Children, MayHaveFurtherOwners) {
  World world;
  world.run();
  Json policy = world.server.get(resource::kNetworkPolicies, kFaces);
  policy["metadata"]["ownerReferences"].push_back({{"kind", "Team"}, {"uid", "another"}});
  world.server.put(resource::kNetworkPolicies, policy);
  const std::size_t before = world.writes();
  world.settle();
  EXPECT_EQ(world.writes(), before);
  EXPECT_THAT(world.told("PutBack"), IsEmpty());
}

/// Whether the NetworkPolicy has a rule for a port.
bool opens(const World& world, int port) {
  const Json rules = world.server.get(resource::kNetworkPolicies, kFaces)["spec"]["ingress"];
  return std::ranges::any_of(
      rules, [&](const Json& rule) { return whole_at(rule, "/ports/0/port") == port; });
}

TEST(Children, LetAnAttemptBeAskedToStopAtThePortThatItHas) {
  const auto config = [](int port) {
    return Json({{"config", {{"telemetry", {{"control_port", port}}}}}});
  };
  World world;
  world.run(config(9500));
  world.server.edit(kTrainings, kFaces, {{"spec", config(9501)}});
  world.settle();
  EXPECT_EQ(world.status()["ending"]["reason"], "ConfigChange");
  EXPECT_TRUE(opens(world, 9500));
  EXPECT_TRUE(opens(world, 9501));
  world.set_job_condition(1, "Succeeded");
  world.server.remove(resource::kPods, {"team", "faces-r1-worker-0"});
  world.settle();
  EXPECT_EQ(world.status()["attempt"]["number"], 2);
  EXPECT_FALSE(opens(world, 9500));
  EXPECT_THAT(world.told("PutBack"), IsEmpty()) << "the policy followed the edit";
}

TEST(Children, OfAFinishedAttemptAreLeftAsTheyAre) {
  World world;
  world.run();
  world.set_job_condition(1, "Succeeded");
  world.settle();
  world.server.edit(kMpiJobs, World::job_key(1), {{"spec", {{"slotsPerWorker", 9}}}});
  world.settle();
  EXPECT_EQ(world.server.get(kMpiJobs, World::job_key(1))["spec"]["slotsPerWorker"], 9);
}

TEST(Children, LeaveABudgetThatIsNotOurs) {
  World world;
  world.server.put(
      resource::kBudgets,
      {{"metadata",
        {{"name", "faces"}, {"namespace", "team"}, {"labels", {{kTrainingLabel, "faces"}}}}}});
  world.server.put(kTrainings, make_training({{"suspend", true}}));
  world.settle();
  EXPECT_FALSE(world.server.get(resource::kBudgets, kFaces).is_null());
}

}  // namespace
}  // namespace ganscale::controller::gan_training
