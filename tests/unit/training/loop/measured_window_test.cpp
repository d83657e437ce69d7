#include "training/loop/measured_window.h"

#include <gtest/gtest.h>

#include <limits>

#include "comm/backends/thread_group.h"

namespace ganscale::training {
namespace {

using Clock = MeasuredWindow::Clock;

Clock::time_point at_second(double seconds) {
  return Clock::time_point(
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
}

Readings readings(double data_wait, double all_reduce) {
  Readings now;
  now.loader.wait_seconds = data_wait;
  now.all_reduce.exposed_seconds = all_reduce;
  return now;
}

/// Two steps of warm-up of 5 s, then four of 1, 1, 1 and 2 s.
void run_steps(MeasuredWindow& window) {
  window.begin(at_second(100), readings(1, 2));
  window.step(at_second(105), {.images = 8}, readings(2, 4));
  window.step(at_second(110), {.images = 8}, readings(3, 6));
  window.step(at_second(111), {.images = 8}, readings(3.1, 6.2));
  window.step(at_second(112), {.images = 8}, readings(3.2, 6.4));
  window.step(at_second(113), {.images = 8}, readings(3.3, 6.6));
  EXPECT_FALSE(window.is_over());
  window.step(at_second(115), {.images = 8}, readings(3.5, 7.0));
}

TEST(MeasuredWindow, HoldsTheStepsAfterTheWarmUp) {
  MeasuredWindow window({.warmup_steps = 2, .steps = 4});
  run_steps(window);
  EXPECT_TRUE(window.is_over());
  const auto measured = window.gather(*comm::make_single_group(), {});
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->steps, 4);
  EXPECT_EQ(measured->images, 32);
  EXPECT_NEAR(measured->seconds, 5, 1e-6);
  EXPECT_NEAR(measured->images_per_second(), 6.4, 1e-6);
  EXPECT_NEAR(measured->data_wait_seconds, 0.5, 1e-9);
  EXPECT_NEAR(measured->all_reduce_seconds, 1.0, 1e-9);
  EXPECT_NEAR(measured->step_seconds_median, 1, 1e-6);
  EXPECT_NEAR(measured->step_seconds_p99, 2, 1e-6);
  EXPECT_EQ(measured->straggler_ratio, 1);
  EXPECT_FALSE(measured->memory_share);
}

TEST(MeasuredWindow, ReportsTheTimesOfItsOwnRank) {
  MeasuredWindow window({.warmup_steps = 1, .steps = 2});
  window.begin(at_second(0), {});
  window.step(at_second(9), {.phase_seconds = {{"Gmain", 7}}}, readings(1, 2));
  window.step(at_second(11), {.phase_seconds = {{"Gmain", 1}, {"Dmain", 0.5}}}, readings(1.5, 2));
  window.step(at_second(12), {.phase_seconds = {{"Gmain", 0.25}}}, readings(1.5, 2.25));
  const WindowParts parts = window.parts();
  EXPECT_NEAR(parts.seconds, 3, 1e-9);
  EXPECT_NEAR(parts.data_wait_seconds, 0.5, 1e-9);
  EXPECT_NEAR(parts.all_reduce_seconds, 0.25, 1e-9);
  EXPECT_EQ(parts.phase_seconds, (std::map<std::string, double>{{"Dmain", 0.5}, {"Gmain", 1.25}}));
}

TEST(MeasuredWindow, TakesInNothingMoreOnceItIsOver) {
  MeasuredWindow window({.warmup_steps = 2, .steps = 4});
  run_steps(window);
  window.step(at_second(900), {.images = 8}, readings(9, 9));
  EXPECT_NEAR(window.gather(*comm::make_single_group(), {})->seconds, 5, 1e-6);
}

TEST(MeasuredWindow, DoesNotBeginInAWarmUpWithoutEnd) {
  MeasuredWindow window({.warmup_steps = std::numeric_limits<std::int64_t>::max(), .steps = 1});
  window.begin(at_second(0), {});
  window.step(at_second(1), {.images = 8}, {});
  EXPECT_FALSE(window.reads_clock_next());
  EXPECT_FALSE(window.is_over());
}

TEST(MeasuredWindow, WithoutWarmUpCountsFromTheBeginning) {
  MeasuredWindow window({.warmup_steps = 0, .steps = 1});
  window.begin(at_second(0), readings(7, 8));
  window.step(at_second(4), {.images = 8}, readings(7.5, 8.25));
  EXPECT_NEAR(window.parts().data_wait_seconds, 0.5, 1e-9);
  EXPECT_NEAR(window.parts().all_reduce_seconds, 0.25, 1e-9);
}

TEST(MeasuredWindow, LeavesOutWhatIsNotTraining) {
  MeasuredWindow window({.warmup_steps = 0, .steps = 2});
  window.begin(at_second(0), {});
  window.step(at_second(1), {.images = 8}, {});
  window.add_maintenance(30);  // a checkpoint
  window.step(at_second(32), {.images = 8}, {});
  EXPECT_NEAR(window.gather(*comm::make_single_group(), {})->seconds, 2, 1e-6);
}

TEST(MeasuredWindow, ReadsTheClockAtItsEndsAlone) {
  MeasuredWindow window({.warmup_steps = 1, .steps = 2});
  window.begin(at_second(0), {});
  std::vector<bool> reads;
  for (int i = 0; i < 4; ++i) {
    reads.push_back(window.reads_clock_next());
    window.step(at_second(i + 1), {.images = 8}, {});
  }
  EXPECT_EQ(reads, (std::vector<bool>{true, false, true, false}));
}

TEST(MeasuredWindow, CombinesTheRanks) {
  comm::run_ranks(2, [](comm::Group& group) {
    // Both take 4 s; rank 0 works 3 s of them and waits 1 s for rank 1, which works all the time.
    const double waits = group.rank() == 0 ? 1 : 0;
    MeasuredWindow window({.warmup_steps = 0, .steps = 1});
    window.begin(at_second(0), {});
    window.step(at_second(4), {.images = 10}, readings(waits, waits));
    const auto measured =
        window.gather(group, group.rank() == 0 ? DeviceShares{.memory = 0.25}
                                               : DeviceShares{.memory = 0.5, .time = 0.75});
    ASSERT_TRUE(measured);
    EXPECT_EQ(measured->images, 20);
    EXPECT_NEAR(measured->all_reduce_seconds, 0.5, 1e-9);
    EXPECT_NEAR(measured->straggler_ratio, 4 / 3.5, 1e-6);
    EXPECT_EQ(measured->memory_share, 0.5);
    EXPECT_EQ(measured->gpu_use, 0.75) << "of the rank that knows it";
  });
}

// Of 4 s, the first role works 3 s and waits 1 s for the second one, which works all the time.
TEST(MeasuredWindow, TakesTheWaitForTheOtherRoleForNoWork) {
  comm::run_ranks(2, [](comm::Group& group) {
    const bool is_first = group.rank() == 0;
    const auto step_of_role = [&](double wait_seconds) {
      return StepResult{.role = RoleStep{.network = is_first ? wire::Role::kGenerator
                                                             : wire::Role::kDiscriminator,
                                         .wait_seconds = wait_seconds}};
    };
    MeasuredWindow window({.warmup_steps = 1, .steps = 2});
    window.begin(at_second(0), {});
    window.step(at_second(9), step_of_role(7), {});
    window.step(at_second(11), step_of_role(is_first ? 0.25 : 0), {});
    window.step(at_second(13), step_of_role(is_first ? 0.75 : 0), {});
    EXPECT_NEAR(window.parts().role_wait_seconds, is_first ? 1 : 0, 1e-9);
    const auto measured = window.gather(group, {});
    ASSERT_TRUE(measured);
    EXPECT_NEAR(measured->role_wait_seconds, 0.5, 1e-9);
    EXPECT_NEAR(measured->straggler_ratio, 4 / 3.5, 1e-6);
  });
}

TEST(MeasuredWindow, SaysNothingBeforeItIsOverOnAllRanks) {
  comm::run_ranks(2, [](comm::Group& group) {
    MeasuredWindow window({.warmup_steps = 0, .steps = 1});
    window.begin(at_second(0), {});
    if (group.rank() == 0) window.step(at_second(1), {.images = 8}, {});
    EXPECT_FALSE(window.gather(group, {}));
  });
}

TEST(MeasuredWindow, IsAbsentUnlessConfigured) {
  MeasuredWindow window({.warmup_steps = 5, .steps = 0});
  EXPECT_FALSE(window.is_wanted());
  EXPECT_FALSE(window.is_over());
  EXPECT_FALSE(window.reads_clock_next());
}

}  // namespace
}  // namespace ganscale::training
