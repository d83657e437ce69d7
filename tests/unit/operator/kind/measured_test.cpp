#include "kind/measured.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

wire::Measurement make_measurement() {
  return {.steps = 20,
          .images = 500,
          .seconds = 4,
          .data_wait_seconds = 0.5,
          .all_reduce_seconds = 1,
          .role_wait_seconds = 0.25,
          .straggler_ratio = 1.25,
          .step_seconds_median = 0.2,
          .step_seconds_p99 = 0.3,
          .memory_share = 0.5,
          .gpu_use = 0.75};
}

TEST(Measured, IsWhatTheWorkerMeasuredWithItsRate) {
  EXPECT_EQ(to_json(measured_of(make_measurement())), Json({{"steps", 20},
                                                            {"imagesPerSecond", 125.0},
                                                            {"seconds", 4.0},
                                                            {"dataWaitSeconds", 0.5},
                                                            {"allReduceSeconds", 1.0},
                                                            {"roleWaitSeconds", 0.25},
                                                            {"stragglerRatio", 1.25},
                                                            {"stepSecondsMedian", 0.2},
                                                            {"stepSecondsP99", 0.3},
                                                            {"memoryShare", 0.5},
                                                            {"gpuUse", 0.75}}));
}

TEST(Measured, IsReadAsItWasWritten) {
  Measured measured = measured_of(make_measurement());
  EXPECT_EQ(read_measured(to_json(measured)), measured);
  measured.memory_share.reset();
  EXPECT_EQ(read_measured(to_json(measured)), measured);
  Json older = to_json(measured);
  older.erase("roleWaitSeconds");
  measured.role_wait_seconds = 0;
  EXPECT_EQ(read_measured(older), measured);
}

// Its ranks have no steps in common, and nobody measured for what they waited.
TEST(Measured, OfAWholeTrainingHasNoWaitsAndNoTimesOfSteps) {
  const Measured whole =
      measured_of({.steps = 0, .images = 500, .seconds = 4, .straggler_ratio = 1.25});
  EXPECT_EQ(
      to_json(whole),
      Json({{"steps", 0}, {"imagesPerSecond", 125.0}, {"seconds", 4.0}, {"stragglerRatio", 1.25}}));
  EXPECT_EQ(read_measured(to_json(whole)), whole);
}

TEST(Measured, IsAbsentWithoutARate) {
  EXPECT_FALSE(read_measured({{"steps", 20}}));
  EXPECT_FALSE(read_measured({{"imagesPerSecond", 0}}));
  EXPECT_FALSE(read_measured({{"imagesPerSecond", "fast"}}));
  EXPECT_FALSE(read_measured(3));
  EXPECT_TRUE(read_measured({{"imagesPerSecond", 12.5}}));
}

}  // namespace
}  // namespace ganscale::controller
