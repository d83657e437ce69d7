#include "cli/serve/draw_image.h"

#include <gtest/gtest.h>

#include "unit/models/read_model.h"

namespace ganscale::cli {
namespace {

training::TrainedGenerator untrained(const std::string& model, int label_count) {
  training::TrainedGenerator trained;
  trained.config.model = models::read_model(model, label_count);
  trained.generator = models::build_generator(trained.config.model, 1, nullptr);
  trained.generator->eval();
  return trained;
}

constexpr const char* kStyles = "{name: stylegan2, resolution: 16, channel_max: 16}";
constexpr const char* kTruncatedLatents =
    "{name: biggan, resolution: 32, generator_channels: 8, discriminator_channels: 8}";

TEST(ChoicesOf, AreWhatTheModelHas) {
  const auto plain = choices_of(untrained("{name: dcgan, channels: 0.125}", 0));
  EXPECT_FALSE(plain.truncation);
  EXPECT_TRUE(plain.labels.empty());
  const auto styles = choices_of(untrained(kStyles, 0));
  ASSERT_TRUE(styles.truncation);
  EXPECT_EQ(styles.truncation->least, 0);
  EXPECT_EQ(styles.truncation->most, 1);
  const auto latents = choices_of(untrained(kTruncatedLatents, 3));
  ASSERT_TRUE(latents.truncation);
  EXPECT_GT(latents.truncation->least, 0);
  EXPECT_EQ(latents.labels, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(DrawImage, TruncatesStylesToTheirMean) {
  const auto trained = untrained(kStyles, 0);
  const auto draw = [&](std::int64_t seed, double psi) {
    return draw_image(trained, {.seed = seed, .truncation = psi});
  };
  EXPECT_EQ(draw(1, 0), draw(2, 0));
  EXPECT_NE(draw(1, 1), draw(2, 1));
  EXPECT_EQ(draw(1, 1), draw_image(trained, {.seed = 1}));
}

TEST(DrawImage, WalksThroughTruncatedLatents) {
  const auto trained = untrained(kTruncatedLatents, 3);
  const auto draw = [&](double t) {
    return draw_image(trained, {.seed = 1, .label = 2, .truncation = 0.5, .walk_to = 2, .t = t});
  };
  EXPECT_EQ(draw(0), draw_image(trained, {.seed = 1, .label = 2, .truncation = 0.5}));
  EXPECT_NE(draw(0.5), draw(0));
}

}  // namespace
}  // namespace ganscale::cli
