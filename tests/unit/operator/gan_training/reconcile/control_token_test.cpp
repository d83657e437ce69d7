#include "gan_training/reconcile/control_token.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

const Key kSecret{"ops", "ganscale-operator-key"};

TEST(ControlToken, IsAnHmacSha256) {
  // RFC 4231, test case 2.
  EXPECT_EQ(control_token("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_NE(control_token("key", "u"), control_token("key", "v"));
}

TEST(TokenKey, IsTheStoredOne) {
  World world;
  world.server.put(resource::kSecrets,
                   {{"metadata", {{"name", kSecret.name}, {"namespace", kSecret.name_space}}},
                    {"data", {{"key", "a2V5"}}}});
  EXPECT_EQ(read_token_key(world.client, "ops"), "a2V5");
  EXPECT_EQ(world.writes(), 0U);
}

TEST(TokenKey, IsDrawnOnce) {
  World world;
  read_token_key(world.client, "ops");
  const Json drawn = world.server.get(resource::kSecrets, kSecret)["stringData"]["key"];
  EXPECT_EQ(drawn.get<std::string>().size(), 64U);
  read_token_key(world.client, "ops");
  EXPECT_EQ(world.writes(), 1U);
  World other;
  read_token_key(other.client, "ops");
  EXPECT_NE(other.server.get(resource::kSecrets, kSecret)["stringData"]["key"], drawn);
}

TEST(TokenKey, MustNotBeEmpty) {
  World world;
  world.server.put(resource::kSecrets,
                   {{"metadata", {{"name", kSecret.name}, {"namespace", kSecret.name_space}}},
                    {"data", {{"key", ""}}}});
  EXPECT_THROW(read_token_key(world.client, "ops"), ConfigError);
}

TEST(TokenKey, OfAConcurrentOperatorIsUsed) {
  World world;
  world.server.fail_next("POST", "/secrets", 409, "AlreadyExists");
  try {
    read_token_key(world.client, "ops");
    ADD_FAILURE() << "here no other operator was faster, and the Secret is missing";
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), 404);
  }
  world.server.fail_next("POST", "/secrets", 403, "Forbidden");
  EXPECT_THROW(read_token_key(world.client, "ops"), ApiError);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
