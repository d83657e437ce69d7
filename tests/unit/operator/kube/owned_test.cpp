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

TEST(PutOwned, LeavesWhatTheCheckRefuses) {
  Owner me;
  me.server.put(resource::kConfigMaps, map_of("u", "old"));
  const auto refuse = [](const Json& have) {
    if (have["data"]["key"] == "old") throw ApiError(409, "Conflict", "it is old");
  };
  EXPECT_THROW(put_owned(me.client, resource::kConfigMaps, map_of("u", "new"), refuse), ApiError);
  EXPECT_EQ(me.stored()["data"]["key"], "old");
  me.server.put(resource::kConfigMaps, map_of("another", "old"));
  EXPECT_THROW(put_owned(me.client, resource::kConfigMaps, map_of("u", "new"), refuse), NameTaken);
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

TEST(DifferenceOfOwned, LeavesOtherOwnersOut) {
  const Json want = map_of("u", "x");
  Json have = want;
  Json& owners = have["metadata"]["ownerReferences"];
  owners.insert(owners.begin(), Json({{"uid", "another"}}));
  EXPECT_EQ(difference_of_owned(have, want), std::nullopt);
  have["data"]["key"] = "y";
  EXPECT_EQ(difference_of_owned(have, want), "data.key");
  owners.erase(std::size_t{1});
  EXPECT_EQ(difference_of_owned(have, want), "data.key") << "the first in the order of names";
  have["data"]["key"] = "x";
  EXPECT_EQ(difference_of_owned(have, want), "metadata.ownerReferences");
  have["metadata"].erase("ownerReferences");
  EXPECT_EQ(difference_of_owned(have, want), "metadata.ownerReferences");
}

}  // namespace
}  // namespace ganscale::controller
