#include "gan_training/desired/control_secret.h"

#include <gtest/gtest.h>

#include "unit/operator/gan_training/desired/make_plan.h"

namespace ganscale::controller::gan_training {
namespace {

TEST(ControlSecret, HoldsTheTokenAndIsOwnedByTheTraining) {
  const Json secret = control_secret(make_plan(), "token");
  EXPECT_EQ(secret["metadata"]["name"], "faces-control");
  EXPECT_EQ(secret["metadata"]["ownerReferences"][0]["uid"], "u");
  EXPECT_EQ(secret["stringData"], Json({{"token", "token"}}));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
