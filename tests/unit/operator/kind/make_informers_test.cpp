#include "kind/make_informers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_api_server.h"

namespace ganscale::controller {
namespace {

using testing::ElementsAre;

const Resource kWidgets{"test.dev/v1", "widgets"};
constexpr auto kLabel = "test.dev/widget";

Json object(const std::string& name, const Json& labels) {
  return {{"metadata", {{"name", name}, {"namespace", "team"}, {"labels", labels}}},
          {"spec", {{"large", true}}}};
}

TEST(KeyInLabel, NamesTheResourceInTheSameNamespace) {
  EXPECT_EQ(key_in_label(object("a", {{kLabel, "wheel"}}), kLabel), (Key{"team", "wheel"}));
  EXPECT_EQ(key_in_label(object("a", {{"other", "wheel"}}), kLabel), std::nullopt);
  EXPECT_EQ(key_in_label({{"metadata", {{"name", "a"}, {"namespace", "team"}}}}, kLabel),
            std::nullopt);
}

TEST(MakeInformers, EnqueuesResourcesAndTheOwnersOfObjects) {
  FakeApiServer server;
  std::vector<std::string> keys;
  const MakeInformers make{[&] { return server.connect(); }, hooks_without_sleep(),
                           [&](const Key& key) { keys.push_back(key.text()); }};
  server.put(kWidgets, object("wheel", Json::object()));
  server.put(resource::kPods, object("p", {{kLabel, "axle"}}));
  server.put(resource::kPods, object("foreign", Json::object()));
  const auto widgets = make.of_kind(kWidgets);
  const auto pods = make.of_owned(resource::kPods, kLabel, [](Json pod) {
    pod.erase("spec");
    return pod;
  });
  widgets->list();
  pods->list();
  EXPECT_THAT(keys, ElementsAre("team/wheel", "team/axle"));
  ASSERT_EQ(pods->by_index({"team", "axle"}).size(), 1U);
  EXPECT_FALSE(pods->by_index({"team", "axle"})[0]->contains("spec"));
  EXPECT_TRUE(widgets->find({"team", "wheel"})->contains("spec"));
}

TEST(MakeInformers, KeepsToItsNamespaces) {
  FakeApiServer server;
  const MakeInformers make{.connect = [&] { return server.connect(); },
                           .hooks = hooks_without_sleep(),
                           .enqueue = [](const Key&) {},
                           .name_spaces = {"team"}};
  for (const char* name_space : {"team", "other"}) {
    Json pod = object("p", {{kLabel, "axle"}});
    pod["metadata"]["namespace"] = name_space;
    server.put(resource::kPods, pod);
    server.put(kWidgets, pod);
  }
  const auto widgets = make.of_kind(kWidgets);
  const auto pods = make.of_owned(resource::kPods, kLabel);
  widgets->list();
  pods->list();
  EXPECT_EQ(widgets->all().size(), 1U);
  EXPECT_EQ(pods->all().size(), 1U);
}

}  // namespace
}  // namespace ganscale::controller
