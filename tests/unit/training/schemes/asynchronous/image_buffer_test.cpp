#include "training/schemes/asynchronous/image_buffer.h"

#include "support/expect_error.h"

namespace ganscale::training {
namespace {

TEST(ImageBuffer, GivesEachBatchOnceInTheOrderOfTheSteps) {
  ImageBuffer buffer(/*next_step=*/7, /*max_staleness=*/2);
  EXPECT_TRUE(buffer.empty());
  for (const std::int64_t step : {7, 8, 9}) buffer.add({.step = step, .fakes = {}});
  for (const std::int64_t step : {7, 8, 9}) EXPECT_EQ(buffer.take().step, step);
  EXPECT_TRUE(buffer.empty());
}

TEST(ImageBuffer, ReportsTheAgeOfABatchInSteps) {
  ImageBuffer buffer(0, 2);
  for (const std::int64_t step : {0, 1, 2}) buffer.add({.step = step, .fakes = {}});
  buffer.take();
  EXPECT_EQ(buffer.newer_batches(), 2);
  buffer.take();
  EXPECT_EQ(buffer.newer_batches(), 1);
  buffer.add({.step = 3, .fakes = {}});
  EXPECT_EQ(buffer.newer_batches(), 2);
}

TEST(ImageBuffer, HoldsABatchOfEachAge) {
  ImageBuffer buffer(0, 1);
  buffer.add({.step = 0, .fakes = {}});
  buffer.add({.step = 1, .fakes = {}});
  expect_error(ExitCode::kBug, "the image buffer is full",
               [&] { buffer.add({.step = 2, .fakes = {}}); });
}

TEST(ImageBuffer, RefusesABatchOfAnotherStep) {
  ImageBuffer buffer(4, 8);
  expect_error(ExitCode::kBug, "5, expected 4", [&] { buffer.add({.step = 5, .fakes = {}}); });
  expect_error(ExitCode::kBug, "empty", [&] { buffer.take(); });
}

}  // namespace
}  // namespace ganscale::training
