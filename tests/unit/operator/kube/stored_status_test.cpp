#include "kube/stored_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/condition.h"
#include "support/fake_api_server.h"

namespace ganscale::controller {
namespace {

using testing::ElementsAre;

const Time kNow{std::chrono::seconds(1750000000)};
const Resource kWidgets{"test.dev/v1", "widgets"};
const Key kWheel{"team", "wheel"};

Json make_widget() {
  return {{"metadata", {{"name", kWheel.name}, {"namespace", kWheel.name_space}, {"uid", "u"}}},
          {"spec", {{"spokes", 8}}}};
}

StoredObject parse_widget(const Json& object) {
  StoredObject widget{.resource = kWidgets, .kind = "Widget"};
  read_stored(object, widget);
  return widget;
}

/// A widget in an API server of its own.
struct World {
  FakeApiServer server;
  std::unique_ptr<Transport> transport = server.connect();
  Client client{*transport, hooks_without_sleep()};
  EventRecorder events{client, "me"};

  World() { server.put(kWidgets, make_widget()); }
  StoredObject stored() { return parse_widget(server.get(kWidgets, kWheel)); }
  Json status() { return stored().status; }
  Json reconciled() { return find_condition(status(), kReconciled); }

  /// Returns the notes of all events. Nothing is recorded after.
  std::vector<std::string> told() {
    events.close();
    std::vector<std::string> notes;
    for (const auto& request : server.requests()) {
      const bool is_event = request.path.find("/events") != std::string::npos;
      if (request.method == "POST" && is_event) notes.push_back(Json::parse(request.body)["note"]);
    }
    return notes;
  }
};

TEST(StoreStatus, IsRefusedIfOurCopyIsStale) {
  World world;
  const StoredObject old = world.stored();
  const Json answer = store_status(old, {{"phase", "Running"}}, world.client);
  EXPECT_EQ(answer["status"]["phase"], "Running");
  EXPECT_EQ(answer["spec"], make_widget()["spec"]);
  try {
    store_status(old, {{"phase", "Failed"}}, world.client);
    ADD_FAILURE();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), 409);
  }
  EXPECT_EQ(world.status()["phase"], "Running");
}

StoredObject with_status(const Json& status, int generation = 1) {
  Json widget = make_widget();
  widget["metadata"]["generation"] = generation;
  widget["status"] = status;
  return parse_widget(widget);
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

TEST(Failure, NamesTheObjectThatHasTheNameNow) {
  const Json first = with_failure(with_status(Json::object()), {kNameTaken, "secrets a"}, kNow);
  EXPECT_EQ(with_failure(with_status(first), {kNameTaken, "secrets a"}, kNow), first);
  const Json second = with_failure(with_status(first), {kNameTaken, "configmaps b"}, kNow);
  EXPECT_EQ(reconciled(second)["message"], "configmaps b");
}

TEST(Failure, IsClearedBySuccessOnly) {
  const Json failed = with_failure(with_status(Json::object()), {"Invalid", "one"}, kNow);
  const Json succeeded = with_success(with_status(failed), kNow + std::chrono::seconds(9));
  EXPECT_EQ(reconciled(succeeded)["status"], "True");
  EXPECT_EQ(reconciled(succeeded)["lastTransitionTime"], "2025-06-15T15:06:49Z");
  EXPECT_EQ(with_success(with_status(succeeded), kNow), succeeded);
}

TEST(Failure, IsNotMentionedBeforeTheFirst) {
  EXPECT_EQ(with_success(with_status({{"kimg", 3}}), kNow), Json({{"kimg", 3}}));
}

TEST(ReportFailure, WritesAndReportsOnce) {
  World world;
  for (int i = 0; i < 3; ++i) {
    report_failure(world.stored(), {"Invalid", "no " + std::to_string(i)}, kNow, world.client,
                   world.events);
  }
  EXPECT_EQ(world.server.count("PUT", "/status"), 1U);
  EXPECT_THAT(world.told(), ElementsAre("no 0"));
}

TEST(ReportFailure, ThrowsNothingIfTheServerIsDown) {
  World world;
  for (int i = 0; i < 3; ++i) world.server.fail_next("PUT", "/status", 503);
  EXPECT_NO_THROW(
      report_failure(world.stored(), {"Invalid", "no"}, kNow, world.client, world.events));
  EXPECT_TRUE(world.told().empty());
}

TEST(ReconcileAndReport, NamesTheManifestForMissingRights) {
  World world;
  const std::string denied =
      R"(mpijobs.kubeflow.org is forbidden: User "ops" cannot create resource "mpijobs")";
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(reconcile_and_report(
                     world.stored(),
                     [&]() -> std::chrono::seconds { throw ApiError(403, "Forbidden", denied); },
                     kNow, world.client, world.events),
                 ApiError);
  }
  EXPECT_EQ(world.reconciled()["reason"], "AccessDenied");
  EXPECT_THAT(world.told(), ElementsAre("the operator has no rights in the namespace team; apply "
                                        "rbac/training-namespace.yaml there: " +
                                        denied));
}

TEST(ReconcileAndReport, LeavesTheRefusalOfAQuotaAsItIs) {
  World world;
  const std::string refused = R"(pods "a" is forbidden: exceeded quota)";
  EXPECT_THROW(reconcile_and_report(
                   world.stored(),
                   [&]() -> std::chrono::seconds { throw ApiError(403, "Forbidden", refused); },
                   kNow, world.client, world.events),
               ApiError);
  EXPECT_EQ(world.reconciled()["reason"], "Forbidden");
  EXPECT_EQ(world.reconciled()["message"], refused);
}

TEST(ReportSuccess, YieldsToAConcurrentWriter) {
  World world;
  report_failure(world.stored(), {"Invalid", "no"}, kNow, world.client, world.events);
  const StoredObject old = world.stored();
  world.server.edit(kWidgets, kWheel, {{"status", {{"kimg", 4}}}});
  EXPECT_NO_THROW(report_success(old, kNow, world.client));
  EXPECT_EQ(world.reconciled()["status"], "False");
  report_success(world.stored(), kNow, world.client);
  EXPECT_EQ(world.reconciled()["status"], "True");
  EXPECT_EQ(world.status()["kimg"], 4);
}

}  // namespace
}  // namespace ganscale::controller
