#include "gan_training/desired/disruption_budget.h"

#include <gtest/gtest.h>

#include "unit/operator/gan_training/desired/make_plan.h"

namespace ganscale::controller::gan_training {
namespace {

TEST(DisruptionBudget, AllowsOneEvictionWhichEndsTheWholeGang) {
  const Json budget = disruption_budget(make_plan());
  EXPECT_EQ(budget["spec"]["minAvailable"], 1);
  EXPECT_EQ(budget["spec"]["selector"]["matchLabels"],
            Json({{kTrainingLabel, "faces"}, {kRoleLabel, "worker"}}));
}

TEST(DisruptionBudget, GuardsTheNodesOfAnAttemptThatHasOthersThanThePlan) {
  EXPECT_EQ(disruption_budget(make_plan(), 8)["spec"]["minAvailable"], 7);
  EXPECT_EQ(disruption_budget(make_plan(), 0)["spec"]["minAvailable"], 1) << "there is no attempt";
}

}  // namespace
}  // namespace ganscale::controller::gan_training
