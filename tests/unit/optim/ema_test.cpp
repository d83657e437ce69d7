#include "optim/ema.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "support/expect_error.h"

namespace ganscale::optim {
namespace {

struct Net : torch::nn::Module {
  Net(double weight_value, double mean_value) {
    weight = register_parameter("weight", at::full({2}, weight_value, at::kDouble));
    mean = register_buffer("mean", at::full({1}, mean_value, at::kDouble));
    count = register_buffer("count", at::full({}, static_cast<std::int64_t>(mean_value)));
  }
  at::Tensor weight, mean, count;
};

TEST(EmaBeta, HalvesOverTheHalfLife) {
  EXPECT_DOUBLE_EQ(ema_beta({10, 0}, 10000, 0), 0.5);
  EXPECT_DOUBLE_EQ(ema_beta({10, 0}, 5000, 123), std::sqrt(0.5));
}

TEST(EmaBeta, RampsUpWithTheImagesSeen) {
  EXPECT_EQ(ema_beta({10, 0.05}, 32, 0), 0);                   // nothing seen: a plain copy
  EXPECT_DOUBLE_EQ(ema_beta({10, 0.05}, 50, 1000), 0.5);       // half-life 1000 * 0.05
  EXPECT_DOUBLE_EQ(ema_beta({10, 0.05}, 10000, 900000), 0.5);  // 45,000 is beyond 10,000
}

TEST(EmaBeta, IsZeroUntilTheAverageStarts) {
  EXPECT_EQ(ema_beta({10, 0, 4}, 10000, 3999), 0);
  EXPECT_DOUBLE_EQ(ema_beta({10, 0, 4}, 10000, 4000), 0.5);
}

// From 0 to 20,000 images, half of the way.
TEST(EmaBeta, FollowsTheScheduleOfTheHalfLife) {
  EmaConfig config{.kimg = 0};
  config.schedule = {.kind = schedule::ScheduleKind::kLinear, .kimg = 4, .final = 20};
  EXPECT_EQ(ema_beta(config, 32, 0), 0);
  EXPECT_DOUBLE_EQ(ema_half_life_images(config, 2000), 10000);
  EXPECT_DOUBLE_EQ(ema_beta(config, 10000, 2000), 0.5);
  EXPECT_DOUBLE_EQ(ema_beta(config, 20000, 9000), 0.5);
}

TEST(EmaBeta, IsZeroWithoutAveraging) { EXPECT_EQ(ema_beta({0, 0}, 32, 5000), 0); }

TEST(UpdateEma, AveragesParametersAndCopiesBuffers) {
  Net ema(1, 7);
  const Net source(5, 9);
  update_ema(ema, source, 0.75);
  EXPECT_DOUBLE_EQ(ema.weight[1].item<double>(), 0.75 * 1 + 0.25 * 5);
  EXPECT_EQ(ema.mean.item<double>(), 9);
  EXPECT_EQ(ema.count.item<std::int64_t>(), 9);
  EXPECT_EQ(source.weight[0].item<double>(), 5);
}

TEST(UpdateEma, WithBetaZeroCopies) {
  Net ema(1, 7);
  const Net source(0.1, 9);
  update_ema(ema, source, 0);
  EXPECT_EQ(ema.weight[0].item<double>(), 0.1);
}

EmaConfig read_text(const std::string& yaml) {
  config::Section in(config::parse_yaml(yaml, "run.yaml"));
  return read_ema(in);
}

TEST(ReadEma, KeepsRampUpAndStartForOtherAverages) {
  const EmaConfig c = read_text(
      "{ema_kimg: 10, other_ema_kimg: [2, 50], ema_ramp_up: 0.5, ema_start_kimg: 3, "
      "ema_schedule: {name: linear, final_kimg: 20, kimg: 100}}");
  EXPECT_EQ(c.others, (std::vector<double>{2, 50}));
  const EmaConfig other = c.with(50);
  EXPECT_EQ(ema_half_life_images(other, 1'000'000), 50'000);
  EXPECT_EQ(ema_half_life_images(other, 10'000), 5'000);
  EXPECT_EQ(ema_beta(other, 32, 2'999), 0);
}

TEST(ReadEma, RefusesAHalfLifeTwice) {
  expect_error(ExitCode::kConfig,
               "run.yaml:1: other_ema_kimg: there is an average with this half-life already: 10",
               [] { read_text("{ema_kimg: 10, other_ema_kimg: [2, 10]}"); });
  expect_error(ExitCode::kConfig, "already: 2", [] { read_text("other_ema_kimg: [2, 2]"); });
  expect_error(ExitCode::kConfig, "other_ema_kimg: must be positive",
               [] { read_text("other_ema_kimg: [0]"); });
}

TEST(ReadEma, LeavesTheSectionsOtherKeysToTheCaller) {
  config::Section in(config::parse_yaml("ema_kimg: 20\nema_ramp_up: 0.05\nother: 1\n", "run.yaml"));
  const EmaConfig c = read_ema(in);
  EXPECT_EQ(c.kimg, 20);
  EXPECT_EQ(c.ramp_up, 0.05);
  EXPECT_EQ(in.get("other", 0, ""), 1);
  EXPECT_NO_THROW(in.reject_unread_keys());
}

}  // namespace
}  // namespace ganscale::optim
