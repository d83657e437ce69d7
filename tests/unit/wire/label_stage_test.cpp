#include "wire/label_stage.h"

#include <gtest/gtest.h>

namespace ganscale::wire {
namespace {

TEST(LabelStage, IsWrittenAndReadByItsName) {
  for (const auto& [stage, name] : kLabelStages) {
    const nlohmann::json json = stage;
    EXPECT_EQ(json.get<std::string>(), name);
    EXPECT_EQ(json.get<LabelStage>(), stage);
    EXPECT_EQ(nlohmann::ordered_json(stage).get<std::string>(), name);
    EXPECT_EQ(wire::name(stage), name);
  }
}

// A label whose state another version wrote is trained as any that waits.
TEST(LabelStage, IsWaitingIfItsNameIsUnknown) {
  EXPECT_EQ(nlohmann::json("frozen").get<LabelStage>(), LabelStage::kWaiting);
  EXPECT_EQ(nlohmann::ordered_json("frozen").get<LabelStage>(), LabelStage::kWaiting);
}

TEST(LabelStage, HasAGeneratorOnceTrainingEnded) {
  EXPECT_TRUE(is_trained(LabelStage::kDone));
  EXPECT_TRUE(is_trained(LabelStage::kOutOfBudget));
  EXPECT_FALSE(is_trained(LabelStage::kTraining));
  EXPECT_FALSE(is_trained(LabelStage::kFailed));
}

}  // namespace
}  // namespace ganscale::wire
