#include "kind/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
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

}  // namespace
}  // namespace ganscale::controller
