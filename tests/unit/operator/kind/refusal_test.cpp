#include "kind/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "object/condition.h"
#include "object/json.h"

namespace ganscale::controller {
namespace {

TEST(RefusalOf, IsEmptyIfNothingIsThrown) {
  EXPECT_EQ(refusal_of([] {}).reason, "");
}

TEST(RefusalOf, IsWhatTheCheckThrows) {
  const Refusal refusal = refusal_of([] { throw Refusal{"BadName", "too long"}; });
  EXPECT_EQ(refusal.reason, "BadName");
  EXPECT_EQ(refusal.problem, "too long");
}

TEST(RefusalOf, CallsAnErrorOfASpecBadSpec) {
  const Refusal error = refusal_of([] { throw ConfigError("spec.nodes: many"); });
  EXPECT_EQ(error.reason, "BadSpec");
  EXPECT_EQ(error.problem, "spec.nodes: many");
  const Refusal type = refusal_of([] { Json("text").get<int>(); });
  EXPECT_EQ(type.reason, "BadSpec");
  EXPECT_THAT(type.problem, testing::HasSubstr("a value has the wrong type"));
}

Refusal refused(const Condition& told, std::int64_t generation) {
  Json status = Json::object();
  set_condition(status, told, 2, Time());
  return refusal_of_server(status, generation);
}

TEST(RefusalOfServer, IsOfThisGenerationAndBecauseOfTheSpec) {
  for (const char* reason : {"Invalid", "BadRequest", "RequestEntityTooLarge"}) {
    EXPECT_EQ(refused({"Reconciled", false, reason, "quantities"}, 2).reason, reason);
    EXPECT_EQ(refused({"Reconciled", false, reason, "quantities"}, 2).problem, "quantities");
    EXPECT_EQ(refused({"Reconciled", false, reason, "quantities"}, 3).problem, "");
    EXPECT_EQ(refused({"Reconciled", true, reason, "quantities"}, 2).problem, "");
  }
  EXPECT_EQ(refused({"Reconciled", false, "NameTaken", "configmaps"}, 2).problem, "");
  EXPECT_EQ(refused({"Validated", false, "Invalid", "quantities"}, 2).problem, "");
  EXPECT_EQ(refusal_of_server(Json(), 2).problem, "") << "there is no status yet";
}

}  // namespace
}  // namespace ganscale::controller
