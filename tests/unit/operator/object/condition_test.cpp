#include "object/condition.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

const Time kNow{std::chrono::seconds(1750000000)};

TEST(Condition, ChangesItsTimeWithItsStatusAlone) {
  Json status;
  set_condition(status, {"Ready", false, "NotYet", "waits"}, 1, kNow);
  const auto later = [](int seconds) { return kNow + std::chrono::seconds(seconds); };
  set_condition(status, {"Ready", false, "NotYet", "still waits"}, 2, later(9));
  EXPECT_EQ(find_condition(status, "Ready")["lastTransitionTime"], "2025-06-15T15:06:40Z");
  EXPECT_EQ(find_condition(status, "Ready")["message"], "still waits");
  EXPECT_EQ(find_condition(status, "Ready")["observedGeneration"], 2);
  set_condition(status, {"Ready", true, "Done", ""}, 2, later(9));
  EXPECT_EQ(find_condition(status, "Ready")["lastTransitionTime"], "2025-06-15T15:06:49Z");
  EXPECT_EQ(status["conditions"].size(), 1U);
}

TEST(Condition, LeavesConditionsOfOthers) {
  Json status = {{"conditions", Json::array({{{"type", "Theirs"}, {"status", "Unknown"}}})}};
  set_condition(status, {"Ready", true, "", ""}, 1, kNow);
  EXPECT_EQ(find_condition(status, "Theirs")["status"], "Unknown");
  EXPECT_EQ(find_condition(status, "Ready")["reason"], "Unknown") << "a reason must not be empty";
}

TEST(Condition, ReplacesAMalformedOne) {
  for (const char* odd : {R"({"conditions": 3})", R"({"conditions": [3, {"type": 4}]})",
                          R"({"conditions": [{"type": "Ready"}]})"}) {
    Json status = Json::parse(odd);
    set_condition(status, {"Ready", true, "Done", ""}, 1, kNow);
    EXPECT_EQ(find_condition(status, "Ready")["status"], "True") << odd;
  }
  EXPECT_TRUE(find_condition(Json(), "Ready").is_null());
  EXPECT_TRUE(find_condition(Json::object(), "Ready").is_null());
}

}  // namespace
}  // namespace ganscale::controller
