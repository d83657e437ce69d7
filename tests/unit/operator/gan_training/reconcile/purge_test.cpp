#include "gan_training/reconcile/purge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const Key kJob{"team", "faces-purge"};
const Key kClaim{"team", "runs"};

/// A Job with the name of the purge that a training of this name and uid made.
Json job_of(const std::string& training, const std::string& uid) {
  const Json owner = {{"kind", kKind}, {"name", training}, {"uid", uid}, {"controller", true}};
  return {{"metadata",
           {{"name", kJob.name},
            {"namespace", kJob.name_space},
            {"ownerReferences", Json::array({owner})}}}};
}

/// A cluster with a claim and a deleted training whose folder is to be deleted. attempts: that it
/// had, all of which have ended. storage: of the last one.
struct Deleted : World {
  explicit Deleted(const Json& changes = Json::object(), int attempts = 1,
                   const Json& storage = "runs") {
    server.put(resource::kClaims, {{"metadata", {{"name", "runs"}, {"namespace", "team"}}}});
    Json training =
        make_training({{"storage", {{"claimName", "runs"}}}, {"deletePolicy", "Purge"}});
    training["spec"].merge_patch(changes);
    training["metadata"]["deletionTimestamp"] = "2025-06-15T15:06:40Z";
    Record record;
    record.attempt = attempts;
    record.state = attempts > 0 ? AttemptState::kEnded : AttemptState::kNone;
    write_record(record, training["status"]);
    training["status"]["attempt"]["storage"] = storage;
    server.put(kTrainings, training);
  }
  /// is_in_use: by a pod, with which it goes.
  void delete_claim(bool is_in_use) {
    Json finalizers = Json::array();
    if (is_in_use) finalizers.push_back("kubernetes.io/pvc-protection");
    server.edit(resource::kClaims, kClaim, {{"metadata", {{"finalizers", finalizers}}}});
    server.remove(resource::kClaims, kClaim);
  }
  void end_job(const std::string& condition, const std::string& message = "") {
    server.edit(
        resource::kJobs, kJob,
        {{"status",
          {{"conditions",
            Json::array({{{"type", condition}, {"status", "True"}, {"message", message}}})}}}});
  }
};

TEST(Purge, IsAJobThatTheTrainingWaitsFor) {
  Deleted world;
  world.settle();
  const Json job = world.server.get(resource::kJobs, kJob);
  EXPECT_EQ(job["spec"]["template"]["spec"]["containers"][0]["command"],
            Json::array({"/bin/rm", "-rf", "/runs/faces"}));
  EXPECT_FALSE(world.training().is_null());
  world.end_job("Complete");
  world.settle();
  EXPECT_TRUE(world.training().is_null());
}

TEST(Purge, ThatFailsHoldsNothingUpAndNamesTheFolder) {
  Deleted world;
  world.settle();
  world.end_job("Failed", "too slow");
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_THAT(
      world.told("PurgeFailed"),
      ElementsAre("the run folder was not deleted: /runs/faces on the claim runs: too slow"));
}

void expect_to_go_after_an_hour(Deleted& world) {
  world.now += std::chrono::seconds(3599);
  world.settle();
  EXPECT_FALSE(world.training().is_null());
  world.now += std::chrono::seconds(1);
  world.settle();
  EXPECT_TRUE(world.training().is_null());
}

TEST(Purge, ThatItsQueueDoesNotAdmitIsGivenUpAfterAnHour) {
  Deleted world;
  world.settle();
  world.server.edit(resource::kJobs, kJob,
                    {{"metadata", {{"creationTimestamp", format_time(world.now)}}},
                     {"spec", {{"suspend", true}}}});
  expect_to_go_after_an_hour(world);
  EXPECT_THAT(world.told("PurgeFailed"),
              ElementsAre("the run folder was not deleted: /runs/faces on the claim runs: the Job "
                          "did not end within 3600 s: faces-purge; it is suspended: its queue did "
                          "not admit it"));
}

TEST(Purge, ThatIsHeldBackForLackOfAQueueGetsTheTrainings) {
  const auto labels_when = [](const std::string& queue, bool is_suspended) {
    Deleted world(queue.empty() ? Json::object() : Json({{"queueName", queue}}));
    world.settle();
    world.server.edit(resource::kJobs, kJob, {{"spec", {{"suspend", is_suspended}}}});
    world.settle();
    return world.server.get(resource::kJobs, kJob)["metadata"]["labels"];
  };
  EXPECT_EQ(labels_when("research", true).value(kQueueLabel, ""), "research");
  EXPECT_FALSE(labels_when("research", false).contains(kQueueLabel)) << "it runs at once";
  EXPECT_FALSE(labels_when("", true).contains(kQueueLabel));
}

TEST(Purge, StaysInAQueueThatItHas) {
  Deleted world(Json({{"queueName", "research"}}));
  world.settle();
  world.server.edit(
      resource::kJobs, kJob,
      {{"metadata", {{"labels", {{kQueueLabel, "default"}}}}}, {"spec", {{"suspend", true}}}});
  world.settle();
  EXPECT_EQ(world.server.get(resource::kJobs, kJob)["metadata"]["labels"][kQueueLabel], "default");
}

TEST(Purge, HasItsHourFromWhenItsQueueAdmitsIt) {
  Deleted world;
  world.settle();
  world.server.edit(resource::kJobs, kJob,
                    {{"metadata", {{"creationTimestamp", format_time(world.now)}}}});
  world.now += std::chrono::seconds(3300);
  world.server.edit(resource::kJobs, kJob, {{"status", {{"startTime", format_time(world.now)}}}});
  expect_to_go_after_an_hour(world);
  EXPECT_EQ(world.told("PurgeFailed").size(), 1U);
}

TEST(Purge, ThatIsRefusedHoldsNothingUp) {
  for (const int code : {400, 403, 422}) {
    Deleted world;
    world.server.fail_next("POST", "/jobs", code, "Forbidden", "exceeded quota");
    world.settle();
    EXPECT_TRUE(world.training().is_null()) << code;
    EXPECT_THAT(world.told("PurgeFailed"), ElementsAre(HasSubstr("exceeded quota")));
  }
}

TEST(Purge, IsTriedAgainWhenTheServerFailed) {
  Deleted world;
  for (int i = 0; i < 3; ++i) world.server.fail_next("POST", "/jobs", 500, "InternalError");
  EXPECT_THROW(world.reconcile(), ApiError);
  world.settle();
  EXPECT_FALSE(world.server.get(resource::kJobs, kJob).is_null());
}

TEST(Purge, HasNothingToDoWithoutAClaim) {
  Deleted world(Json({{"storage", nullptr}}));
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_EQ(world.server.count("POST", "/jobs"), 0U);
}

TEST(Purge, IsSkippedIfNoPodCanHaveTheClaim) {
  for (const auto& [is_in_use, why] :
       {std::pair{true, "the claim is being deleted"}, std::pair{false, "the claim is gone"}}) {
    Deleted world;
    world.delete_claim(is_in_use);
    world.settle();
    EXPECT_TRUE(world.training().is_null()) << why;
    EXPECT_EQ(world.server.count("POST", "/jobs"), 0U);
    EXPECT_THAT(world.told("PurgeSkipped"),
                ElementsAre(std::string(why) +
                            ": /runs/faces on the claim runs was left as it was, if it is there"));
  }
}

TEST(Purge, IsGivenUpIfTheClaimGoesBeforeItsPodRuns) {
  for (const auto& [is_in_use, why] :
       {std::pair{true, "the claim is being deleted"}, std::pair{false, "the claim is gone"}}) {
    Deleted world;
    world.settle();
    EXPECT_FALSE(world.training().is_null());
    world.delete_claim(is_in_use);
    world.settle();
    EXPECT_TRUE(world.training().is_null()) << why;
    EXPECT_THAT(world.told("PurgeFailed"),
                ElementsAre("the run folder was not deleted: /runs/faces on the claim runs: " +
                            std::string(why)));
  }
}

TEST(Purge, EndsIfItsPodRunsOnAClaimThatIsBeingDeleted) {
  Deleted world;
  world.settle();
  world.server.edit(resource::kJobs, kJob, {{"status", {{"ready", 1}}}});
  world.delete_claim(/*is_in_use=*/true);
  world.settle();
  EXPECT_FALSE(world.training().is_null());
  world.end_job("Complete");
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_TRUE(world.told("PurgeFailed").empty());
}

TEST(Purge, IsNotForTrainingsThatKeepTheirFolder) {
  for (const int attempts : {0, 1}) {
    Deleted world(Json({{"deletePolicy", "Keep"}}), attempts);
    world.settle();
    EXPECT_TRUE(world.training().is_null());
    EXPECT_EQ(world.server.count("POST", "/jobs"), 0U);
    EXPECT_TRUE(world.told("PurgeSkipped").empty());
  }
}

TEST(Purge, NeedsNoConfigurationThatIsRight) {
  Deleted world(Json({{"config", {{"training", {{"bach", 1}}}}}}));
  world.settle();
  EXPECT_FALSE(world.server.get(resource::kJobs, kJob).is_null());
}

TEST(Purge, ReportsThatTheFolderStaysIfTheSpecCannotBeRead) {
  Deleted world(Json({{"nodes", "many"}}));
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_THAT(world.told("PurgeFailed"), ElementsAre(HasSubstr("spec.nodes: expected an integer")));
}

TEST(Purge, IsSilentIfNothingEverRan) {
  Deleted world(Json({{"nodes", "many"}}), 0);
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_TRUE(world.told("PurgeFailed").empty());
}

TEST(Purge, LeavesTheFolderOfAnOlderTrainingIfNothingEverRan) {
  Deleted world(Json::object(), 0);
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_EQ(world.server.count("POST", "/jobs"), 0U);
  EXPECT_THAT(world.told("PurgeSkipped"),
              ElementsAre("no attempt is recorded: /runs/faces on the claim runs was left as it "
                          "was, if it is there"));
}

TEST(Purge, LeavesAFolderOnStorageThatTheLastAttemptDidNotHave) {
  for (const auto& [storage, why] :
       {std::pair{"", "the last attempt had no storage"},
        std::pair{"others/a",
                  "the folder of the last attempt remains on other storage, others/a"}}) {
    Deleted world(Json::object(), 1, storage);
    world.settle();
    EXPECT_TRUE(world.training().is_null());
    EXPECT_EQ(world.server.count("POST", "/jobs"), 0U);
    EXPECT_THAT(world.told("PurgeSkipped"),
                ElementsAre(std::string(why) +
                            ": /runs/faces on the claim runs was left as it was, if it is there"));
  }
}

TEST(Purge, TakesTheStorageOfTheSpecForThatOfAnOldRecord) {
  Deleted world(Json::object(), 1, nullptr);
  world.settle();
  EXPECT_FALSE(world.server.get(resource::kJobs, kJob).is_null());
}

TEST(Purge, IgnoresTheJobOfAnOlderTrainingOfTheName) {
  Deleted world;
  world.server.put(resource::kJobs, job_of("faces", "older"));
  world.end_job("Complete");
  world.reconcile();
  EXPECT_FALSE(world.training().is_null()) << "its own folder is not deleted yet";
}

TEST(Purge, OfAnOlderTrainingOfTheNameIsOverBeforeTheFirstAttempt) {
  World world;
  world.server.put(resource::kClaims, {{"metadata", {{"name", "runs"}, {"namespace", "team"}}}});
  world.server.put(resource::kJobs, job_of("faces", "older"));
  world.server.put(kTrainings, make_training({{"storage", {{"claimName", "runs"}}}}));
  world.settle();
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_EQ(world.status()["reason"], "PurgeNotDone");
  EXPECT_THAT(world.status()["message"].get<std::string>(),
              AllOf(HasSubstr("the Job faces-purge"), HasSubstr("/runs/faces")));
  world.server.remove(resource::kJobs, kJob);
  world.settle();
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_EQ(world.told("PurgeNotDone").size(), 1U);
}

TEST(Purge, DelaysNoTrainingWhoseFolderItDoesNotDelete) {
  const Json with_storage = {{"storage", {{"claimName", "runs"}}}};
  for (const auto& [job, changes] : {std::pair{job_of("smiles", "other"), with_storage},
                                     std::pair{job_of("faces", "older"), Json::object()}}) {
    World world;
    world.server.put(resource::kClaims, {{"metadata", {{"name", "runs"}, {"namespace", "team"}}}});
    world.server.put(resource::kJobs, job);
    world.server.put(kTrainings, make_training(changes));
    world.settle();
    EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(1)).is_null()) << changes;
  }
}

TEST(Purge, IsNotHeldUpByAJobOfAnotherOwner) {
  Deleted world;
  world.server.put(resource::kJobs,
                   {{"metadata", {{"name", "faces-purge"}, {"namespace", "team"}}}});
  const Json before = world.server.get(resource::kJobs, kJob);
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_EQ(world.server.get(resource::kJobs, kJob), before);
  EXPECT_THAT(world.told("PurgeFailed"), ElementsAre(HasSubstr("/runs/faces on the claim runs")));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
