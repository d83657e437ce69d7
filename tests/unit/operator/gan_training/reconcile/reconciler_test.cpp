#include "gan_training/reconcile/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Reconciler, TakesTheFinalizerFirst) {
  World world;
  Json training = make_training();
  training["metadata"]["finalizers"] = Json::array({"others"});
  world.server.put(kTrainings, training);
  world.reconcile();
  EXPECT_EQ(world.training()["metadata"]["finalizers"], Json::array({"others", kFinalizer}));
  EXPECT_EQ(world.writes(), 1U);
}

TEST(Reconciler, MakesThePrerequisitesOfAnAttemptFirst) {
  World world;
  world.server.put(kTrainings, make_training());
  EXPECT_EQ(world.reconcile(), seconds(1));
  EXPECT_FALSE(world.server.get(resource::kConfigMaps, {"team", "faces-settings"}).is_null());
  EXPECT_FALSE(world.server.get(resource::kNetworkPolicies, kFaces).is_null());
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  world.reconcile();
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_EQ(world.server.get(resource::kSecrets, {"team", "faces-control"})["stringData"]["token"],
            "74fc58364b1e33d000839b677782f52ff9dcdc220765c71f5ff4a6e3dd719302");
  EXPECT_EQ(world.status()["phase"], "Validated");
  EXPECT_EQ(world.status()["attempt"]["number"], 1);
  EXPECT_EQ(world.told("AttemptStarted").size(), 1U);
}

TEST(Reconciler, StoresTheNumberOfAnAttemptBeforeItMakesTheMpiJob) {
  World world;
  world.server.put(kTrainings, make_training());
  world.reconcile();
  world.reconcile();
  std::vector<std::string> writes;
  for (const auto& request : world.server.requests()) {
    if (request.path.find("/status") != std::string::npos) writes.emplace_back("status");
    if (request.method == "POST" && request.path.find("/mpijobs") != std::string::npos) {
      writes.emplace_back("job");
    }
  }
  EXPECT_THAT(writes, ElementsAre("status", "job"));
}

TEST(Reconciler, ShowsARunningTrainingAndGuardsItsNodes) {
  World world;
  world.run();
  EXPECT_EQ(world.status()["phase"], "Running");
  EXPECT_EQ(world.condition("Scheduled")["status"], "True");
  EXPECT_EQ(world.server.get(resource::kBudgets, kFaces)["spec"]["minAvailable"], 0);
  EXPECT_TRUE(world.condition("Reconciled").is_null()) << "it never failed";
}

TEST(Reconciler, WritesNothingWhileNothingChanges) {
  World world;
  world.run();
  const std::size_t before = world.writes();
  world.now += seconds(300);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.reconcile(), seconds(600));
  EXPECT_EQ(world.writes(), before);
}

TEST(Reconciler, LeavesTheAttemptWhereOnlyTheDeadlineOfCheckpointsChanges) {
  World world;
  world.run();
  world.server.edit(kTrainings, kFaces, {{"spec", {{"checkpointDeadlineSeconds", 7}}}});
  world.settle();
  EXPECT_EQ(world.status()["phase"], "Running");
  EXPECT_EQ(world.status()["attempt"]["number"], 1);
  EXPECT_EQ(world.told("PutBack").size(), 0U);
  const Json job = world.server.get(kMpiJobs, {kFaces.name_space, "faces-r1"});
  EXPECT_EQ(job["metadata"]["annotations"][kRequestAnnotation], "2");
  const std::size_t writes = world.writes();
  world.settle();
  EXPECT_EQ(world.writes(), writes);
}

TEST(Reconciler, LetsTheNodesBeDrainedWhenTheTrainingIsOver) {
  World world;
  world.run();
  world.set_job_condition(1, "Succeeded");
  world.settle();
  EXPECT_EQ(world.status()["phase"], "Succeeded");
  EXPECT_TRUE(world.server.get(resource::kBudgets, kFaces).is_null());
}

TEST(Reconciler, MovesATrainingAwayFromANodeThatIsToBeDrained) {
  World world;
  world.run();
  world.server.edit(resource::kPods, {"team", "faces-r1-worker-0"},
                    {{"spec", {{"nodeName", "dgx-3"}}}});
  world.settle();
  EXPECT_EQ(world.status()["phase"], "Running");
  world.server.put(resource::kNodes,
                   {{"metadata", {{"name", "dgx-3"}}}, {"spec", {{"unschedulable", true}}}});
  world.settle();
  EXPECT_EQ(world.status()["ending"]["reason"], "Disruption");
  EXPECT_EQ(world.status()["message"], "faces-r1-worker-0: its node is cordoned: dgx-3");
  EXPECT_FALSE(world.server.get(resource::kBudgets, kFaces).is_null())
      << "it writes its checkpoint";
  world.set_job_condition(1, "Succeeded");
  world.settle();
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_TRUE(world.server.get(resource::kBudgets, kFaces).is_null());
  world.server.remove(resource::kPods, {"team", "faces-r1-worker-0"});
  world.settle();
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(2)).is_null());
  EXPECT_FALSE(world.status().contains("failures"));
}

/// A training whose worker runs on a node that is cordoned, and tolerates that.
void run_on_a_cordoned_node(World& world) {
  const Json all = Json::array({{{"operator", "Exists"}}});
  world.run({{"podTemplate", {{"worker", {{"spec", {{"tolerations", all}}}}}}}});
  world.server.edit(resource::kPods, {"team", "faces-r1-worker-0"},
                    {{"spec", {{"nodeName", "dgx-3"}}}});
  world.server.put(resource::kNodes,
                   {{"metadata", {{"name", "dgx-3"}}}, {"spec", {{"unschedulable", true}}}});
  world.settle();
}

TEST(Reconciler, LeavesATrainingOnACordonedNodeThatItTolerates) {
  World world;
  run_on_a_cordoned_node(world);
  EXPECT_EQ(world.status()["phase"], "Running");
}

TEST(Reconciler, LeavesATrainingOnACordonedNodeThoughAnEditIsRefused) {
  World world;
  run_on_a_cordoned_node(world);
  world.server.edit(kTrainings, kFaces, {{"spec", {{"config", {{"training", {{"bach", 8}}}}}}}});
  world.settle();
  EXPECT_EQ(world.condition("Validated")["reason"], "BadConfig");
  EXPECT_EQ(world.status()["phase"], "Running");
  EXPECT_FALSE(world.status().contains("ending"));
}

TEST(Reconciler, DeletesATrainingAfterItsTimeToLive) {
  World world;
  world.run({{"ttlSecondsAfterFinished", 60}});
  world.set_job_condition(1, "Succeeded");
  world.settle();
  world.now += seconds(59);
  EXPECT_EQ(world.reconcile(), seconds(1));
  EXPECT_FALSE(world.training()["metadata"].contains("deletionTimestamp"));
  world.now += seconds(1);
  world.reconcile();
  EXPECT_TRUE(world.training()["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(world.told("Expired").size(), 1U);
}

/// An attempt that failed and waits for its restart, and another operator that has started the next
/// one since: the copies of MPIJobs are new, the training's is not.
struct Behind : World {
  Behind() {
    run();
    server.edit(resource::kPods, {"team", "faces-r1-worker-0"},
                {{"status", {{"phase", "Failed"}}}});
    settle();
    sync();
    server.edit(kTrainings, kFaces,
                {{"status", {{"attempt", {{"number", 2}, {"state", "Live"}}}}}});
    Json job = server.get(kMpiJobs, job_key(1));
    if (!job.is_null()) ADD_FAILURE() << "the first attempt is still there";
    server.put(kMpiJobs,
               {{"metadata",
                 {{"name", "faces-r2"},
                  {"namespace", "team"},
                  {"labels", {{kTrainingLabel, "faces"}, {kAttemptLabel, "2"}}},
                  {"ownerReferences", Json::array({{{"uid", "u"}, {"controller", true}}})}}}});
    informers.jobs->list();
  }
};

TEST(Reconciler, DeletesNoAttemptThatItsCopyOfTheTrainingDoesNotKnow) {
  Behind world;
  EXPECT_THROW(world.reconciler.reconcile(kFaces), ApiError);
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(2)).is_null());
}

TEST(Reconciler, DropsNoBudgetByACopyThatIsBehind) {
  World world;
  world.run();
  world.set_job_condition(1, "Succeeded");
  world.server.fail_next("DELETE", "/poddisruptionbudgets/", 403, "Forbidden");
  EXPECT_THROW(world.reconcile(), ApiError);
  world.sync();
  world.server.edit(kTrainings, kFaces, {{"spec", {{"nodes", 2}}}});
  EXPECT_THROW(world.reconciler.reconcile(kFaces), ApiError);
  EXPECT_FALSE(world.server.get(resource::kBudgets, kFaces).is_null());
}

TEST(Reconciler, DoesNotDeleteATrainingThatWasEditedSinceItSawIt) {
  World world;
  world.run({{"ttlSecondsAfterFinished", 60}});
  world.set_job_condition(1, "Succeeded");
  world.settle();
  world.now += seconds(60);
  world.sync();
  world.server.edit(kTrainings, kFaces, {{"spec", {{"nodes", 2}}}});
  world.reconciler.reconcile(kFaces);
  EXPECT_FALSE(world.training()["metadata"].contains("deletionTimestamp"));
}

TEST(Reconciler, ThrowsAConflictAndSaysNothingOfIt) {
  World world;
  world.server.put(kTrainings, make_training());
  world.reconcile();
  world.server.fail_next("PUT", "/status", 409, "Conflict");
  EXPECT_THROW(world.reconcile(), ApiError);
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_TRUE(world.condition("Reconciled").is_null());
  world.reconcile();
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
}

TEST(Reconciler, LeavesTheWordsOfAFailureInAConditionUntilItSucceeds) {
  World world;
  world.server.put(kTrainings, make_training());
  world.reconcile();
  for (int i = 0; i < 3; ++i) {
    world.server.fail_next("POST", "/mpijobs", 500, "InternalError", "the webhook is away");
  }
  EXPECT_THROW(world.reconcile(), ApiError);  // its status is stored, our copy is behind
  for (int i = 0; i < 3; ++i) {
    world.server.fail_next("POST", "/mpijobs", 500, "InternalError", "the webhook is away");
  }
  EXPECT_THROW(world.reconcile(), ApiError);
  EXPECT_EQ(world.condition("Reconciled")["status"], "False");
  EXPECT_EQ(world.condition("Reconciled")["reason"], "InternalError");
  EXPECT_THAT(world.condition("Reconciled")["message"].get<std::string>(),
              HasSubstr("the webhook is away"));
  world.settle();
  EXPECT_EQ(world.condition("Reconciled")["status"], "True");
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_THAT(world.told("ReconcileFailed"), ElementsAre(HasSubstr("the webhook is away")));
}

TEST(Reconciler, DoesNotTryAgainWhatTheServerRefusesBecauseOfTheSpec) {
  World world;
  world.server.put(kTrainings, make_training());
  world.reconcile();
  for (int i = 0; i < 3; ++i) {
    world.server.fail_next("POST", "/mpijobs", 422, "Invalid", "quantities must match");
    EXPECT_EQ(world.reconcile(), seconds(600));
  }
  EXPECT_EQ(world.condition("Reconciled")["reason"], "Invalid");
  EXPECT_EQ(world.condition("Ready")["status"], "False");
  EXPECT_EQ(world.condition("Stalled")["status"], "True");
  EXPECT_EQ(world.condition("Stalled")["message"], world.condition("Reconciled")["message"]);
  const std::size_t before = world.writes();
  world.server.fail_next("POST", "/mpijobs", 422, "Invalid", "quantities must match, once more");
  world.reconcile();
  EXPECT_EQ(world.writes(), before + 4) << "three for the Secret that is there, no status";
  world.settle();
  EXPECT_EQ(world.condition("Stalled")["status"], "False") << "the server takes it by now";
}

TEST(Reconciler, ReportsASectionThatIsNotAMap) {
  for (const char* section : {"data", "telemetry"}) {
    World world;
    world.server.put(kTrainings,
                     make_training({{"config", {{section, 3}}}, {"data", {{"claimName", "c"}}}}));
    world.settle();
    EXPECT_EQ(world.status()["phase"], "Pending");
    EXPECT_EQ(world.condition("Validated")["reason"], "BadSpec");
    EXPECT_EQ(world.condition("Validated")["message"],
              std::string("spec.config.") + section + ": expected a map");
    world.server.remove(kTrainings, kFaces);
    world.settle();
    EXPECT_TRUE(world.training().is_null());
  }
}

TEST(Reconciler, ReleasesADeletedTrainingOfAnySpec) {
  const std::vector<Json> specs{
      nullptr,
      3,
      Json::array(),
      {{"nodes", "many"}},
      {{"image", Json::object()}},
      {{"image", "x"}, {"nodeProfile", "no"}, {"deletePolicy", 7}},
      {{"image", "x"}, {"nodeProfile", "cpu"}, {"config", {{"model", 3}}}},
      {{"image", "x"}, {"nodeProfile", "cpu"}, {"configFrom", {{"name", "absent"}}}},
      {{"image", "x"}, {"nodeProfile", "cpu"}, {"configFrom", {{"name", "../secrets"}}}},
      {{"image", "x"}, {"nodeProfile", "cpu"}, {"configFrom", 3}}};
  for (const Json& spec : specs) {
    World world;
    Json training = make_training();
    training["spec"] = spec;
    world.server.put(kTrainings, training);
    world.settle();
    EXPECT_EQ(world.condition("Validated")["status"], "False") << spec;
    EXPECT_NE(world.condition("Validated")["message"], "") << spec;
    world.server.remove(kTrainings, kFaces);
    world.settle();
    EXPECT_TRUE(world.training().is_null()) << spec;
  }
}

TEST(Reconciler, ReleasesADeletedTrainingWithAForbiddenConfigMap) {
  World world;
  Json training = make_training({{"config", nullptr}, {"configFrom", {{"name", "theirs"}}}});
  training["metadata"]["deletionTimestamp"] = "2025-06-15T15:06:40Z";
  world.server.put(kTrainings, training);
  world.server.fail_next("GET", "/configmaps/theirs", 403, "Forbidden");
  world.reconcile();
  EXPECT_TRUE(world.training().is_null());
}

TEST(Reconciler, EndsARunningAttemptThatIsDeletedEvenWithASpecThatCantBeRead) {
  World world;
  world.run({{"checkpointDeadlineSeconds", 5}});
  world.server.edit(kTrainings, kFaces, {{"spec", {{"image", nullptr}}}});
  world.server.remove(kTrainings, kFaces);
  world.settle();
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(1)).is_null()) << "it is asked to stop";
  EXPECT_EQ(world.status()["ending"]["reason"], "Delete");
  world.now += seconds(120);  // the default deadline, as no other can be read
  world.reconcile();
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  world.server.remove(resource::kPods, {"team", "faces-r1-worker-0"});
  world.settle();
  EXPECT_TRUE(world.training().is_null());
}

TEST(Reconciler, ForgetsATrainingThatIsGone) {
  World world;
  EXPECT_EQ(world.reconcile(), std::nullopt);
  EXPECT_EQ(world.writes(), 0U);
}

TEST(Reconciler, ReplacesAnAttemptOfAnotherSizeOnceItsPodsAreGone) {
  World world;
  world.run({{"checkpointDeadlineSeconds", 1}});
  world.server.edit(kTrainings, kFaces, {{"spec", {{"nodes", 2}}}});
  world.settle();
  EXPECT_EQ(world.status()["phase"], "Resizing");
  world.now += seconds(1);
  world.settle();
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(2)).is_null()) << "a pod is left";
  world.server.remove(resource::kPods, {"team", "faces-r1-worker-0"});
  world.settle();
  EXPECT_EQ(world.server.get(kMpiJobs,
                             World::job_key(2))["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"],
            2);
  EXPECT_EQ(world.status()["restarts"], 0);
  EXPECT_THAT(world.told("Resize"), ElementsAre(HasSubstr("from 1 to 2 nodes")));
}

TEST(Reconciler, StartsNoAttemptBesideOneWhoseMpiJobIsGoing) {
  World world;
  world.run();
  world.server.edit(kMpiJobs, World::job_key(1),
                    {{"metadata", {{"finalizers", Json::array({"foregroundDeletion"})}}}});
  world.server.remove(kMpiJobs, World::job_key(1));
  world.settle();
  EXPECT_EQ(world.status()["reason"], "AttemptDeleted");
  EXPECT_EQ(world.status()["failures"], 1);
  world.server.edit(
      resource::kPods, {"team", "faces-r1-worker-0"},
      {{"metadata",
        {{"deletionTimestamp", format_time(world.now)}, {"finalizers", Json::array({"slow"})}}}});
  world.now += seconds(60);
  world.settle();
  EXPECT_EQ(world.status()["attempt"]["number"], 1);
  EXPECT_EQ(world.status()["reason"], "PodNotGone");
  world.server.edit(resource::kPods, {"team", "faces-r1-worker-0"},
                    {{"metadata", {{"finalizers", nullptr}}}});
  world.settle();
  EXPECT_EQ(world.status()["attempt"]["number"], 1);
  world.server.edit(kMpiJobs, World::job_key(1), {{"metadata", {{"finalizers", nullptr}}}});
  world.settle();
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(2)).is_null());
}

TEST(Reconciler, SuspendsATrainingWhoseConfigMapIsGone) {
  World world;
  const Key theirs{"team", "theirs"};
  world.server.put(resource::kConfigMaps,
                   {{"metadata", {{"name", "theirs"}, {"namespace", "team"}}},
                    {"data", {{"config.yaml", "training: {batch: 8}"}}}});
  world.run({{"config", nullptr}, {"configFrom", {{"name", "theirs"}}}});
  world.server.remove(resource::kConfigMaps, theirs);
  world.settle();
  EXPECT_EQ(world.status()["phase"], "Running");
  world.server.edit(kTrainings, kFaces, {{"spec", {{"suspend", true}}}});
  world.settle();
  EXPECT_EQ(world.status()["ending"]["reason"], "Suspend");
  world.set_job_condition(1, "Succeeded");
  world.settle();
  EXPECT_EQ(world.status()["reason"], "Suspending") << "a pod is left";
  EXPECT_EQ(world.condition("Suspended")["status"], "False");
  EXPECT_EQ(world.condition("Ready")["status"], "False");
  world.server.remove(resource::kPods, {"team", "faces-r1-worker-0"});
  world.settle();
  EXPECT_EQ(world.status()["phase"], "Suspended");
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_EQ(world.condition("Validated")["reason"], "MissingConfigMap");
}

TEST(Reconciler, NamesNoCheckpointThatWentWithItsPods) {
  for (const char* claim : {"", "runs"}) {
    World world;
    world.server.put(resource::kClaims, {{"metadata", {{"name", "runs"}, {"namespace", "team"}}}});
    world.run(*claim == 0 ? Json::object() : Json({{"storage", {{"claimName", claim}}}}));
    world.server.edit(kTrainings, kFaces,
                      {{"status", {{"lastCheckpoint", {{"name", "kimg-000200"}}}}}});
    world.server.edit(resource::kPods, {"team", "faces-r1-worker-0"},
                      {{"status", {{"phase", "Failed"}}}});
    world.settle();
    world.now += seconds(10);
    world.settle();
    EXPECT_EQ(world.status()["attempt"]["number"], 2);
    EXPECT_EQ(world.status().contains("lastCheckpoint"), *claim != 0) << claim;
    EXPECT_EQ(world.status().contains("failedBehind"), *claim != 0) << claim;
  }
}

/// A training that was suspended on a claim, or without one, after a failure behind a checkpoint.
struct Suspended : World {
  explicit Suspended(const std::string& claim) {
    for (const char* name : {"runs", "others"}) {
      server.put(resource::kClaims, {{"metadata", {{"name", name}, {"namespace", "team"}}}});
    }
    run(claim.empty() ? Json::object() : Json({{"storage", {{"claimName", claim}}}}));
    server.edit(kTrainings, kFaces,
                {{"spec", {{"suspend", true}}},
                 {"status",
                  {{"lastCheckpoint", {{"name", "kimg-000200"}}},
                   {"failures", 1},
                   {"failedBehind", claim.empty() ? "" : "kimg-000200"}}}});
    settle();
    set_job_condition(1, "Succeeded");
    server.remove(resource::kPods, {"team", "faces-r1-worker-0"});
    settle();
    EXPECT_EQ(status()["phase"], "Suspended");
    EXPECT_TRUE(status().contains("lastCheckpoint"));
  }
  void resume(const Json& changes) {
    Json spec = changes;
    spec["suspend"] = false;
    server.edit(kTrainings, kFaces, {{"spec", spec}});
    settle();
    EXPECT_EQ(status()["attempt"]["number"], 2);
  }
};

TEST(Reconciler, FindsNoCheckpointOnAnotherVolume) {
  for (const char* claim : {"", "runs"}) {
    Suspended world(claim);
    world.resume({{"storage", {{"claimName", "others"}, {"subPath", "a"}}}});
    EXPECT_EQ(world.status()["attempt"]["storage"], "others/a");
    EXPECT_FALSE(world.status().contains("lastCheckpoint")) << claim;
    EXPECT_FALSE(world.status().contains("failedBehind")) << claim;
  }
}

TEST(Reconciler, FindsItsCheckpointAgainOnTheSameVolume) {
  Suspended world("runs");
  world.resume({{"nodes", 2}});
  EXPECT_EQ(world.status()["failedBehind"], "kimg-000200");
  EXPECT_EQ(world.status()["lastCheckpoint"]["name"], "kimg-000200");
}

TEST(Reconciler, ReportsANamespaceWithoutRights) {
  World world;
  world.server.put(kTrainings, make_training());
  world.server.fail_next("POST", "/configmaps", 403, "Forbidden",
                         R"(User "ops" cannot create resource "configmaps")");
  EXPECT_THROW(world.reconcile(), ApiError);
  EXPECT_THAT(world.told("AccessDenied"), ElementsAre(HasSubstr("apply rbac/training-namespace")));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
