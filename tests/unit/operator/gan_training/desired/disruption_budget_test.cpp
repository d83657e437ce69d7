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

}  // namespace
}  // namespace ganscale::controller::gan_training
