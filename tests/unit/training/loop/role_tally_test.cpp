#include "training/loop/role_tally.h"

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::training {
namespace {

using Ages = std::map<std::int64_t, std::int64_t>;

StepResult step_of(wire::Role network, std::int64_t images, std::int64_t age, double wait_seconds) {
  return {.role = RoleStep{
              .network = network, .images = images, .age = age, .wait_seconds = wait_seconds}};
}

// One rank of the generator makes two steps, each of two of the discriminator three, in ten
// seconds.
TEST(RoleTally, SumsUpEachRole) {
  comm::run_ranks(3, [](comm::Group& group) {
    RoleTally tally;
    if (group.rank() == 0) {
      tally.add(step_of(wire::Role::kGenerator, 6, 0, 1));
      tally.add(step_of(wire::Role::kGenerator, 6, 2, 4));
    } else {
      for (const std::int64_t age : {0, 1, 1})
        tally.add(step_of(wire::Role::kDiscriminator, 4, age, 0.5));
    }
    const auto roles = tally.take(group, /*seconds=*/10);
    ASSERT_EQ(roles.size(), 2);
    const report::RoleTick& generator = roles.at("generator");
    EXPECT_EQ(generator.ranks, 1);
    EXPECT_EQ(generator.steps, 2);
    EXPECT_EQ(generator.images, 12);
    EXPECT_EQ(generator.seconds_per_step, 5);
    EXPECT_EQ(generator.wait_share, 0.5);
    EXPECT_EQ(generator.steps_of_age, (Ages{{0, 1}, {2, 1}}));
    EXPECT_EQ(generator.mean_age(), 1);
    const report::RoleTick& discriminator = roles.at("discriminator");
    EXPECT_EQ(discriminator.ranks, 2);
    EXPECT_EQ(discriminator.steps, 3);
    EXPECT_EQ(discriminator.images, 24);
    EXPECT_NEAR(discriminator.wait_share, 0.15, 1e-12);
    EXPECT_EQ(discriminator.steps_of_age, (Ages{{0, 2}, {1, 4}}));
    EXPECT_TRUE(tally.take(group, 10).empty()) << "starts over";
  });
}

TEST(RoleTally, CountsStepsOfTheHighestAge) {
  RoleTally tally;
  tally.add(step_of(wire::Role::kGenerator, 4, 64, 0));
  const auto roles = tally.take(*comm::make_single_group(), /*seconds=*/1);
  EXPECT_EQ(roles.at("generator").steps_of_age, (Ages{{64, 1}}));
}

TEST(RoleTally, IsEmptyIfRanksTrainBothNetworks) {
  const auto alone = comm::make_single_group();
  RoleTally tally;
  tally.add({.images = 4, .generator_steps = 1, .discriminator_steps = 1});
  EXPECT_TRUE(tally.take(*alone, 1).empty());
}

TEST(RoleTally, RefusesAnAgeThatNoSchemeMaySet) {
  RoleTally tally;
  expect_error(ExitCode::kBug, "from 0 to 64 steps: 65",
               [&] { tally.add(step_of(wire::Role::kGenerator, 0, 65, 0)); });
  expect_error(ExitCode::kBug, "from 0 to 64 steps: -1",
               [&] { tally.add(step_of(wire::Role::kGenerator, 0, -1, 0)); });
}

}  // namespace
}  // namespace ganscale::training
