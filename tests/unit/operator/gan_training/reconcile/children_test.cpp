#include "gan_training/reconcile/children.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Children, ArePutBackAndTheEventNamesTheFieldThatWasChanged) {
  World world;
  world.run();
  const Json policy = world.server.get(resource::kNetworkPolicies, kFaces);
  world.server.edit(resource::kNetworkPolicies, kFaces, {{"spec", {{"ingress", Json::array()}}}});
  world.server.edit(resource::kConfigMaps, {"team", "faces-config"},
                    {{"data", {{"config.yaml", "model: {}"}}}});
  world.settle();
  EXPECT_EQ(world.server.get(resource::kNetworkPolicies, kFaces)["spec"], policy["spec"]);
  EXPECT_THAT(
      world.told("PutBack"),
      ElementsAre("configmaps faces-config: data.config.yaml was changed and has been restored",
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

TEST(Children, OfAnotherOwnerAreTakenOverInSilence) {
  World world;
  world.run();
  world.server.edit(
      resource::kNetworkPolicies, kFaces,
      {{"metadata", {{"ownerReferences", Json::array()}}}, {"spec", {{"ingress", Json::array()}}}});
  world.settle();
  EXPECT_FALSE(world.server.get(resource::kNetworkPolicies, kFaces)["spec"]["ingress"].empty());
  EXPECT_THAT(world.told("PutBack"), IsEmpty());
}

TEST(Children, MayHoldMoreThanIsWanted) {
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
