#include "gan_training/reconcile/informers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::UnorderedElementsAre;

TEST(Informers, EnqueueTheTrainingThatAnObjectBelongsTo) {
  FakeApiServer server;
  std::vector<std::string> keys;
  const Informers informers({[&] { return server.connect(); }, hooks_without_sleep(),
                             [&](const Key& key) { keys.push_back(key.text()); }});
  server.put(kTrainings, make_training());
  server.put(resource::kPods, make_pod("p", "worker", 1, "Running"));
  server.put(resource::kPods, {{"metadata", {{"name", "foreign"}, {"namespace", "team"}}}});
  for (Informer* informer : informers.all()) informer->list();
  EXPECT_THAT(keys, UnorderedElementsAre("team/faces", "team/faces"));
  EXPECT_EQ(informers.pods->by_index(kFaces).size(), 1U);
}

TEST(Informers, KeepOfAPodWhatIsRead) {
  FakeApiServer server;
  const Informers informers(
      {[&] { return server.connect(); }, hooks_without_sleep(), [](const Key&) {}});
  Json pod = make_pod("p", "worker", 1, "Running");
  pod["spec"] = {{"containers", Json::array({{{"name", "worker"}}})}};
  server.put(resource::kPods, pod);
  informers.pods->list();
  const auto kept = informers.pods->find({"team", "p"});
  EXPECT_FALSE(kept->contains("spec"));
  EXPECT_EQ((*kept)["status"]["phase"], "Running");
}

TEST(Informers, AskForLabelledObjectsAlone) {
  FakeApiServer server;
  const Informers informers(
      {[&] { return server.connect(); }, hooks_without_sleep(), [](const Key&) {}});
  for (Informer* informer : informers.all()) informer->list();
  for (const char* plural :
       {"mpijobs", "pods", "configmaps", "networkpolicies", "poddisruptionbudgets"}) {
    EXPECT_EQ(server.count("GET", std::string("/") + plural +
                                      "?limit=250&labelSelector=ganscale.dev/training"),
              1U)
        << plural;
  }
}

}  // namespace
}  // namespace ganscale::controller::gan_training
