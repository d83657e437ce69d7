#include "cli/serve/page_request.h"

#include <gmock/gmock.h>

namespace ganscale::cli {
namespace {

const control::Access kAccess{.needs_token = true, .token = "s3cret"};

PageRequest get(const std::string& authorization, const Query& query) {
  return {.method = "GET", .path = "/", .authorization = authorization, .query = query};
}

TEST(PageRequest, TakesTheTokenFromHeaderOrAddress) {
  EXPECT_FALSE(refuse(get("Bearer s3cret", {}), kAccess));
  EXPECT_FALSE(refuse(get("", {{"token", "s3cret"}}), kAccess));
}

TEST(PageRequest, IsRefusedWithoutTheToken) {
  for (const auto& request :
       {get("", {}), get("Bearer wrong", {}), get("s3cret", {}), get("", {{"token", "wrong"}}),
        get("", {{"token", ""}}), get("", {{"seed", "s3cret"}})}) {
    const auto reply = refuse(request, kAccess);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 401);
    EXPECT_THAT(reply->body, testing::HasSubstr("wrong or missing token: open the address"));
  }
}

// As while a mounted Secret is replaced.
TEST(PageRequest, IsRefusedWhileThereIsNoToken) {
  for (const auto& request : {get("Bearer ", {}), get("", {{"token", ""}})}) {
    EXPECT_EQ(refuse(request, {.needs_token = true, .token = ""})->status, 401);
  }
}

TEST(PageRequest, OnlyReads) {
  auto request = get("Bearer s3cret", {});
  for (const char* method : {"POST", "PUT", "DELETE", "HEAD"}) {
    request.method = method;
    EXPECT_EQ(refuse(request, kAccess)->status, 405);
  }
}

TEST(ErrorReply, IsJsonEvenOfBytesThatAreNotUtf8) {
  const auto reply = error_reply(404, "no such path: /\xff");
  EXPECT_EQ(reply.status, 404);
  EXPECT_THAT(reply.body, testing::HasSubstr("{\"error\":\"no such path: /"));
}

}  // namespace
}  // namespace ganscale::cli
