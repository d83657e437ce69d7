#include "gan_training/reconcile/purge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Key kJob{"team", "faces-purge"};

/// A cluster with a claim and a deleted training whose folder is to be deleted.
struct Deleted : World {
  explicit Deleted(const Json& changes = Json::object()) {
    server.put(resource::kClaims, {{"metadata", {{"name", "runs"}, {"namespace", "team"}}}});
    Json training =
        make_training({{"storage", {{"claimName", "runs"}}}, {"deletePolicy", "Purge"}});
    training["spec"].merge_patch(changes);
    training["metadata"]["deletionTimestamp"] = "2025-06-15T15:06:40Z";
    server.put(kTrainings, training);
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
  Deleted without(Json({{"storage", nullptr}}));
  without.settle();
  EXPECT_TRUE(without.training().is_null());
  EXPECT_EQ(without.server.count("POST", "/jobs"), 0U);
  Deleted lost;
  lost.server.remove(resource::kClaims, {"team", "runs"});
  lost.settle();
  EXPECT_TRUE(lost.training().is_null());
  EXPECT_EQ(lost.server.count("POST", "/jobs"), 0U);
}

TEST(Purge, IsNotForTrainingsThatKeepTheirFolder) {
  Deleted world(Json({{"deletePolicy", "Keep"}}));
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_EQ(world.server.count("POST", "/jobs"), 0U);
}

TEST(Purge, NeedsNoConfigurationThatIsRight) {
  Deleted world(Json({{"config", {{"training", {{"bach", 1}}}}}}));
  world.settle();
  EXPECT_FALSE(world.server.get(resource::kJobs, kJob).is_null());
}

TEST(Purge, ReportsThatTheFolderStaysIfTheSpecCannotBeRead) {
  Deleted world(Json({{"nodes", "many"}}));
  Json status;
  Record record;
  record.attempt = 1;
  record.state = AttemptState::kEnded;
  write_record(record, status);
  world.server.edit(kTrainings, kFaces, {{"status", status}});
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_THAT(world.told("PurgeFailed"), ElementsAre(HasSubstr("spec.nodes: expected an integer")));
}

TEST(Purge, IsSilentIfNothingEverRan) {
  Deleted world(Json({{"nodes", "many"}}));
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  EXPECT_TRUE(world.told("PurgeFailed").empty());
}

TEST(Purge, IgnoresTheJobOfAnOlderTrainingOfTheName) {
  Deleted world;
  world.server.put(
      resource::kJobs,
      {{"metadata",
        {{"name", "faces-purge"},
         {"namespace", "team"},
         {"ownerReferences",
          Json::array({{{"kind", kKind}, {"name", "faces"}, {"uid", "older"}}})}}},
       {"status", {{"conditions", Json::array({{{"type", "Complete"}, {"status", "True"}}})}}}});
  world.reconcile();
  EXPECT_FALSE(world.training().is_null()) << "its own folder is not deleted yet";
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
