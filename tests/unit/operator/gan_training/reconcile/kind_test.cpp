#include "gan_training/reconcile/kind.h"

#include <gtest/gtest.h>

#include "support/wait_until.h"
#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

/// The kind of GanTrainings next to a server, with what run_operator() would give it.
struct Assembly {
  FakeApiServer server;
  std::unique_ptr<Transport> transport = server.connect();
  Client client{*transport, hooks_without_sleep()};
  EventRecorder events{client, "me"};
  KindEntry entry = kind({World::rules().profiles, World::rules().schema});
  std::unique_ptr<Kind> made = entry.make({.client = client,
                                           .hooks = hooks_without_sleep(),
                                           .events = events,
                                           .connect_watch = [this] { return server.connect(); },
                                           .enqueue = [](const Key&) {},
                                           .name_space = "ops",
                                           .now = [] { return Time(std::chrono::seconds(7)); }});
};

TEST(GanTrainingKind, OfGanTrainingsIsCalledAsItsResource) {
  EXPECT_EQ(Assembly().entry.controller, "gantraining");
}

TEST(GanTrainingKind, DrawsTheTokenKeyWhenItBeginsToLeadAndNotBefore) {
  Assembly assembly;
  EXPECT_EQ(assembly.server.requests().size(), 0U);
  assembly.server.fail_next("GET", "/secrets/", 403, "Forbidden");
  EXPECT_THROW(assembly.made->begin_to_lead(), ApiError);
  assembly.made->begin_to_lead();
  EXPECT_FALSE(assembly.server.get(resource::kSecrets, {"ops", "ganscale-operator-key"}).is_null());
}

TEST(GanTrainingKind, ReconcilesWhatItsInformersFound) {
  Assembly assembly;
  assembly.made->begin_to_lead();
  assembly.server.put(kTrainings, make_training());
  for (Informer* informer : assembly.made->informers()) informer->start();
  wait_until([&] {
    assembly.made->reconcile(kFaces);
    return !assembly.server.get(resource::kConfigMaps, {"team", "faces-settings"}).is_null();
  });
  Families families;
  assembly.made->collect(families);
  EXPECT_EQ(families.all().at(0).samples.at(0).value, 1);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
