#include "gan_training/reconcile/finalizer.h"

#include <gtest/gtest.h>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

TEST(SetFinalizer, LeavesFinalizersOfOthers) {
  World world;
  Json training = make_training();
  training["metadata"]["finalizers"] = Json::array({"a", kFinalizer, "b"});
  world.server.put(kTrainings, training);
  set_finalizer(world.stored(), false, world.client);
  EXPECT_EQ(world.training()["metadata"]["finalizers"], Json::array({"a", "b"}));
  set_finalizer(world.stored(), true, world.client);
  set_finalizer(world.stored(), true, world.client);
  EXPECT_EQ(world.training()["metadata"]["finalizers"], Json::array({"a", "b", kFinalizer}));
}

TEST(SetFinalizer, IsDoneIfTheTrainingIsGone) {
  World world;
  EXPECT_NO_THROW(set_finalizer(parse_training(make_training()), false, world.client));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
