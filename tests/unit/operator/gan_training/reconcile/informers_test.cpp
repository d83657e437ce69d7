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

Json make_node(const std::string& name, bool cordoned) {
  return {{"metadata", {{"name", name}}},
          {"spec", {{"unschedulable", cordoned}}},
          {"status", {{"images", "many"}}}};
}

TEST(Informers, EnqueueTheTrainingsOfANodeThatIsCordoned) {
  FakeApiServer server;
  std::vector<std::string> keys;
  const Informers informers({[&] { return server.connect(); }, hooks_without_sleep(),
                             [&](const Key& key) { keys.push_back(key.text()); }});
  Json pod = make_pod("p", "worker", 1, "Running");
  pod["spec"]["nodeName"] = "dgx-3";
  server.put(resource::kPods, pod);
  informers.pods->list();
  keys.clear();
  server.put(resource::kNodes, make_node("dgx-4", true));
  informers.nodes->list();
  EXPECT_TRUE(keys.empty());
  server.put(resource::kNodes, make_node("dgx-3", true));
  informers.nodes->list();
  EXPECT_THAT(keys, UnorderedElementsAre("team/faces"));
  EXPECT_TRUE(informers.is_cordoned("dgx-3"));
  EXPECT_FALSE(informers.nodes->all().front()->contains("status"));
  server.put(resource::kNodes, make_node("dgx-3", false));
  informers.nodes->list();
  EXPECT_FALSE(informers.is_cordoned("dgx-3"));
  EXPECT_FALSE(informers.is_cordoned("dgx-9"));
  EXPECT_EQ(server.count("GET", "/api/v1/nodes?limit=250&fieldSelector=spec.unschedulable%3Dtrue"),
            3U);
}

TEST(Informers, OfSomeNamespacesNeedNoRightToSeeNodes) {
  FakeApiServer server;
  const Informers informers(
      {[&] { return server.connect(); }, hooks_without_sleep(), [](const Key&) {}, {"team"}});
  for (Informer* informer : informers.all()) informer->list();
  EXPECT_EQ(server.count("GET", "/api/v1/nodes"), 0U);
  EXPECT_FALSE(informers.is_cordoned("dgx-3"));
}

TEST(Informers, AskForLabeledObjectsOnly) {
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
