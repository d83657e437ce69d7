#include "kube/stored_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::ElementsAre;

const Time kNow{std::chrono::seconds(1750000000)};

TEST(StoreStatus, IsRefusedWhereOurCopyIsBehind) {
  World world;
  world.server.put(kTrainings, make_training());
  const GanTraining old = world.stored();
  const Json answer = store_status(old, {{"phase", "Running"}}, world.client);
  EXPECT_EQ(answer["status"]["phase"], "Running");
  EXPECT_EQ(answer["spec"], make_training()["spec"]);
  try {
    store_status(old, {{"phase", "Failed"}}, world.client);
    ADD_FAILURE();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), 409);
  }
  EXPECT_EQ(world.status()["phase"], "Running");
}

GanTraining with_status(const Json& status, int generation = 1) {
  Json training = make_training();
  training["metadata"]["generation"] = generation;
  training["status"] = status;
  return parse_training(training);
}

Json reconciled(const Json& status) { return find_condition(status, kReconciled); }

TEST(Failure, KeepsTheFirstWordsOfItsReasonUntilTheSpecChanges) {
  const Json first = with_failure(with_status({{"kimg", 3}}), {"Invalid", "one"}, kNow);
  EXPECT_EQ(first["kimg"], 3);
  EXPECT_EQ(reconciled(first)["status"], "False");
  EXPECT_EQ(reconciled(first)["message"], "one");
  EXPECT_EQ(with_failure(with_status(first), {"Invalid", "two"}, kNow), first);
  const Json other = with_failure(with_status(first), {"Forbidden", "two"}, kNow);
  EXPECT_EQ(reconciled(other)["message"], "two");
  const Json edited = with_failure(with_status(first, 2), {"Invalid", "two"}, kNow);
  EXPECT_EQ(reconciled(edited)["message"], "two");
  EXPECT_EQ(reconciled(edited)["observedGeneration"], 2);
}

TEST(Failure, IsTakenBackBySuccessAlone) {
  const Json failed = with_failure(with_status(Json::object()), {"Invalid", "one"}, kNow);
  const Json succeeded = with_success(with_status(failed), kNow + std::chrono::seconds(9));
  EXPECT_EQ(reconciled(succeeded)["status"], "True");
  EXPECT_EQ(reconciled(succeeded)["lastTransitionTime"], "2025-06-15T15:06:49Z");
  EXPECT_EQ(with_success(with_status(succeeded), kNow), succeeded);
}

TEST(Failure, IsNotMentionedBeforeTheFirst) {
  EXPECT_EQ(with_success(with_status({{"kimg", 3}}), kNow), Json({{"kimg", 3}}));
}

TEST(ReportFailure, WritesOnceAndTellsOnce) {
  World world;
  world.server.put(kTrainings, make_training());
  for (int i = 0; i < 3; ++i) {
    report_failure(world.stored(), {"Invalid", "no " + std::to_string(i)}, kNow, world.client,
                   world.events);
  }
  EXPECT_EQ(world.server.count("PUT", "/status"), 1U);
  EXPECT_THAT(world.told("ReconcileFailed"), ElementsAre("no 0"));
}

TEST(ReportFailure, ThrowsNothingWhereTheServerIsAway) {
  World world;
  world.server.put(kTrainings, make_training());
  for (int i = 0; i < 3; ++i) world.server.fail_next("PUT", "/status", 503);
  EXPECT_NO_THROW(
      report_failure(world.stored(), {"Invalid", "no"}, kNow, world.client, world.events));
  EXPECT_TRUE(world.told("ReconcileFailed").empty());
}

TEST(ReportSuccess, GivesWayToWhoeverWroteMeanwhile) {
  World world;
  world.server.put(kTrainings, make_training());
  report_failure(world.stored(), {"Invalid", "no"}, kNow, world.client, world.events);
  const GanTraining old = world.stored();
  world.server.edit(kTrainings, kFaces, {{"status", {{"kimg", 4}}}});
  EXPECT_NO_THROW(report_success(old, kNow, world.client));
  EXPECT_EQ(world.condition(kReconciled)["status"], "False");
  report_success(world.stored(), kNow, world.client);
  EXPECT_EQ(world.condition(kReconciled)["status"], "True");
  EXPECT_EQ(world.status()["kimg"], 4);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
