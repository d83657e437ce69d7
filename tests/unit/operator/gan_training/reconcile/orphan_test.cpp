#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A running training whose run folder is to be deleted with it.
struct Running : World {
  Running() {
    server.put(resource::kClaims, {{"metadata", {{"name", "runs"}, {"namespace", "team"}}}});
    run({{"storage", {{"claimName", "runs"}}}, {"deletePolicy", "Purge"}});
  }
  void expect_to_train_on() {
    EXPECT_FALSE(server.get(kMpiJobs, job_key(1)).is_null());
    EXPECT_EQ(server.count("POST", "/jobs"), 0U) << "it writes into its run folder";
    EXPECT_THAT(told("PurgeSkipped"), ElementsAre(HasSubstr("was orphaned: /runs/faces")));
    EXPECT_TRUE(told("Delete").empty()) << "it is not asked to stop";
  }
};

TEST(Orphan, IsAnAttemptThatKubernetesIsToLeave) {
  Running world;
  world.server.edit(kTrainings, kFaces,
                    {{"metadata", {{"finalizers", Json::array({kFinalizer, "orphan"})}}}});
  world.server.remove(kTrainings, kFaces);
  world.settle();
  EXPECT_EQ(world.training()["metadata"]["finalizers"], Json::array({"orphan"}));
  world.expect_to_train_on();
}

TEST(Orphan, IsAnAttemptThatKubernetesHasLeft) {
  Running world;
  world.server.edit(kMpiJobs, World::job_key(1), {{"metadata", {{"ownerReferences", nullptr}}}});
  world.server.remove(kTrainings, kFaces);
  world.settle();
  EXPECT_TRUE(world.training().is_null());
  world.expect_to_train_on();
}

}  // namespace
}  // namespace ganscale::controller::gan_training
