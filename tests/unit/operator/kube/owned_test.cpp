#include "kube/owned.h"

#include <gtest/gtest.h>

#include "support/fake_api_server.h"

namespace ganscale::controller {
namespace {

const Key kOwnedKey{"team", "a"};

Json map_of(const std::string& owner, const std::string& value) {
  Json object = {{"metadata", {{"name", "a"}, {"namespace", "team"}}}, {"data", {{"key", value}}}};
  if (!owner.empty()) {
    object["metadata"]["ownerReferences"] = Json::array({{{"uid", owner}, {"controller", true}}});
  }
  return object;
}

struct Owner {
  Owner() : transport(server.connect()), client(*transport, hooks_without_sleep()) {}
  Json stored() const { return server.get(resource::kConfigMaps, kOwnedKey); }
  FakeApiServer server;
  std::unique_ptr<Transport> transport;
  Client client;
};

TEST(PutOwned, CreatesWhatIsMissing) {
  Owner me;
  put_owned(me.client, resource::kConfigMaps, map_of("u", "new"));
  EXPECT_EQ(me.stored()["data"]["key"], "new");
  EXPECT_EQ(me.server.requests().size(), 1U);
}

TEST(PutOwned, AppliesWhatItMadeBefore) {
  Owner me;
  me.server.put(resource::kConfigMaps, map_of("u", "old"));
  put_owned(me.client, resource::kConfigMaps, map_of("u", "new"));
  EXPECT_EQ(me.stored()["data"]["key"], "new");
}

TEST(PutOwned, LeavesObjectsOfOthersAndOfNobody) {
  for (const char* owner : {"", "another"}) {
    Owner me;
    me.server.put(resource::kConfigMaps, map_of(owner, "theirs"));
    const Json before = me.stored();
    EXPECT_THROW(put_owned(me.client, resource::kConfigMaps, map_of("u", "new")), NameTaken);
    EXPECT_EQ(me.stored(), before);
  }
}

TEST(PutOwned, ReadsNoSecret) {
  Owner me;
  me.server.put(resource::kSecrets, map_of("u", "old"));
  put_owned(me.client, resource::kSecrets, map_of("u", "new"));
  EXPECT_EQ(me.server.get(resource::kSecrets, kOwnedKey)["data"]["key"], "new");
  EXPECT_EQ(me.server.count("GET", "/secrets"), 0U);
}

TEST(ApplyOwned, IsRefusedIfAnotherObjectHasTakenTheName) {
  Owner me;
  me.server.put(resource::kConfigMaps, map_of("u", "old"));
  const Json copy = me.stored();
  me.server.remove(resource::kConfigMaps, kOwnedKey);
  me.server.put(resource::kConfigMaps, map_of("", "theirs"));
  EXPECT_THROW(apply_owned(me.client, resource::kConfigMaps, map_of("u", "new"), copy), ApiError);
  EXPECT_EQ(me.stored()["data"]["key"], "theirs");
}

}  // namespace
}  // namespace ganscale::controller
