#include "augment/augmentation.h"

#include <ATen/Functions.h>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::augment {
namespace {

AugmentConfig parse(const std::string& yaml) {
  return parse_augment(config::Section(config::parse_yaml(yaml, "test.yaml")));
}

TEST(AdaptiveProbability, FollowsTheSignOfTheScores) {
  const AdaptiveProbability adaptation{.target = 0.6, .speed_kimg = 500};
  EXPECT_DOUBLE_EQ(adaptation.next(0.2, 0.7, 256), 0.2 + 256.0 / 500000);
  EXPECT_DOUBLE_EQ(adaptation.next(0.2, 0.5, 256), 0.2 - 256.0 / 500000);
  EXPECT_EQ(adaptation.next(0.2, 0.6, 256), 0.2);
  EXPECT_EQ(adaptation.next(0.0001, -1, 256), 0);
  EXPECT_EQ(adaptation.next(0.9999, 1, 256), 1);
}

TEST(AugmentConfig, HasThePapersValues) {
  const auto c = parse("name: ada");
  EXPECT_TRUE(c.adaptive);
  EXPECT_EQ(c.p, 0);
  EXPECT_EQ(c.adaptation.target, 0.6);
  EXPECT_EQ(c.adaptation.interval_steps, 4);
  EXPECT_EQ(c.adaptation.speed_kimg, 500);
  EXPECT_TRUE(c.pipeline.xflip && c.pipeline.hue && !c.pipeline.imgfilter);
}

TEST(AugmentConfig, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "unknown augmentation: bcg",
               [] { parse("{name: ada, pipeline: [bcg]}"); });
  expect_error(ExitCode::kConfig, "must be in [0, 1]", [] { parse("{name: ada, p: 1.5}"); });
  expect_error(ExitCode::kConfig, "unknown key", [] { parse("{name: diffaugment, p: 0.5}"); });
  expect_error(ExitCode::kConfig, "unknown key",
               [] { parse("{name: ada, adaptive: false, target: 0.5}"); });
}

TEST(Augmentation, FollowsAScheduleOfP) {
  const auto c = parse(
      "{name: ada, adaptive: false, p: 0.2, p_schedule: {name: linear, final: 0.6, kimg: 1}}");
  Augmentation augmentation(c, at::kCPU);
  augmentation.begin_step(500);
  EXPECT_DOUBLE_EQ(*augmentation.p(), 0.4);
  augmentation.begin_step(5000);
  EXPECT_DOUBLE_EQ(*augmentation.p(), 0.6);
  EXPECT_TRUE(augmentation.state().empty());
  expect_error(ExitCode::kConfig, "p_schedule: an adaptive p cannot follow a schedule",
               [] { parse("{name: ada, p_schedule: {name: linear, final: 1, kimg: 1}}"); });
  expect_error(ExitCode::kConfig, "color_strength: must be in [0, 1]",
               [] { parse("{name: ada, color_strength: 2}"); });
}

// Two ranks of three scores: signs add up to 1 + 2 = 3 of 6 a step.
TEST(Augmentation, MovesPByTheScoresOfAllRanks) {
  for (const double target : {0.4, 0.6}) {
    comm::run_ranks(2, [target](comm::Group& group) {
      auto c = parse("{name: ada, p: 0.5, interval_steps: 2, speed_kimg: 0.12}");
      c.adaptation.target = target;
      Augmentation augmentation(c, at::kCPU);
      for (std::int64_t step = 0; step < 4; ++step) {
        const bool moved = step >= 2;  // by 12 of 120 images
        EXPECT_DOUBLE_EQ(*augmentation.p(), moved ? (target < 0.5 ? 0.6 : 0.4) : 0.5);
        augmentation.observe_reals(group.rank() == 0 ? at::tensor({2.0F, -1.0F, 0.5F})
                                                     : at::tensor({0.0F, 1.0F, 3.0F}));
        augmentation.adapt(group, step);
      }
    });
  }
}

TEST(Augmentation, KeepsItsObservationsInItsState) {
  const auto group = comm::make_single_group();
  const auto c = parse("{name: ada, p: 0.5, interval_steps: 2, speed_kimg: 0.1}");
  Augmentation whole(c, at::kCPU);
  whole.observe_reals(at::ones({10}));
  whole.adapt(*group, 0);
  Augmentation resumed(c, at::kCPU);
  copy_into(resumed.state(), whole.state(), "test");
  resumed.observe_reals(at::full({5}, -1));
  resumed.adapt(*group, 1);  // the mean sign of 15 is 1/3
  EXPECT_DOUBLE_EQ(*resumed.p(), 0.5 - 15.0 / 100);
}

TEST(Augmentation, WithoutAdaptationHasNoState) {
  EXPECT_TRUE(
      Augmentation(parse("{name: ada, adaptive: false, p: 0.3}"), at::kCPU).state().empty());
  const Augmentation none(parse("{}"), at::kCPU);
  EXPECT_TRUE(none.state().empty());
  EXPECT_FALSE(none.p().has_value());
  const auto x = at::randn({2, 3, 4, 4});
  EXPECT_TRUE(none(x, {}, Use::kReals).is_same(x));
}

// The mean of an image falls as a part of its edge moves out of it.
TEST(Augmentation, BlursLessAndLess) {
  AugmentConfig config;
  config.blur = {.sigma = 1, .fade_kimg = 1};
  Augmentation augmentation(config, at::kCPU);
  const at::Tensor images = at::ones({1, 1, 4, 4}, at::kDouble);
  const auto mean_after = [&](std::int64_t images_seen) {
    augmentation.begin_step(images_seen);
    return augmentation(images, {}, Use::kReals).mean().item<double>();
  };
  EXPECT_LT(mean_after(0), mean_after(500));
  EXPECT_LT(mean_after(500), 1);
  EXPECT_EQ(mean_after(1000), 1);
}

}  // namespace
}  // namespace ganscale::augment
