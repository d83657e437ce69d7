#include "augment/ada_transforms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/ada_draws_at.h"

namespace ganscale::augment {
namespace {

/// Random values that leave an image unchanged, where a transformation of middle strength does.
AdaDraws middle() {
  AdaDraws draws;
  draws.uniforms.fill(0.5);
  draws.uniforms[uniform::kXflip] = draws.uniforms[uniform::kLumaflip] = 0;
  draws.uniforms[uniform::kRotate90] = 0;
  return draws;
}

AdaTransforms transforms(const std::string& name, const AdaDraws& draws, double p = 1) {
  return ada_transforms(ada_pipeline({name}), p, draws, 40, 80);
}

void expect_source(const Affine& actual, const Affine& expected) {
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(actual.m[i][j], expected.m[i][j], 1e-12) << i << j;
  }
}

void expect_color(const ColorMap& actual, const ColorMap& expected) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(actual.m[i][j], expected.m[i][j], 1e-12) << i << j;
  }
}

TEST(AdaTransforms, OfMiddleStrengthLeaveAnImageAlone) {
  const auto all = transforms("bgcf", middle());
  expect_source(all.source, {});
  expect_color(all.color, {});
  for (const double gain : all.band_gains) EXPECT_NEAR(gain, 1, 1e-12);
  EXPECT_EQ(all.noise_sigma, 0);
  EXPECT_FALSE(all.cutout.has_value());
}

TEST(AdaTransforms, WithProbabilityZeroNeverHappen) {
  const auto all = transforms("bgcfnc", ada_draws_at(0.9), 0);
  EXPECT_EQ(all.source, Affine{});
  EXPECT_EQ(all.color, ColorMap{});
  EXPECT_EQ(all.band_gains, (BandGains{1, 1, 1, 1}));
  EXPECT_EQ(all.noise_sigma, 0);
  EXPECT_FALSE(all.cutout.has_value());
}

// Gates of 0.4: below p, not below half of it.
TEST(AdaTransforms, ChangeColorsLessOftenIfConfigured) {
  AdaPipeline pipeline = ada_pipeline({"bgc", "cutout"});
  AdaDraws draws = ada_draws_at(0.3);
  draws.gates.fill(0.4);
  const AdaTransforms all = ada_transforms(pipeline, 0.6, draws, 40, 80);
  pipeline.color_strength = 0.5;
  const AdaTransforms rarer = ada_transforms(pipeline, 0.6, draws, 40, 80);
  EXPECT_NE(all.color, ColorMap{});
  EXPECT_EQ(rarer.color, ColorMap{});
  EXPECT_EQ(rarer.source, all.source);
  EXPECT_TRUE(rarer.cutout.has_value());
}

TEST(AdaTransforms, BlitByWholePixels) {
  auto draws = middle();
  draws.uniforms[uniform::kXflip] = 0.7;
  expect_source(transforms("xflip", draws).source, {{{{-1, 0, 0}, {0, 1, 0}}}});
  draws.uniforms[uniform::kRotate90] = 0.3;  // of four turns the second: a quarter
  expect_source(transforms("rotate90", draws).source, {{{{0, -1, 0}, {1, 0, 0}}}});
  draws.uniforms[uniform::kXintX] = 0.81;  // 0.62 / 8 of 80 pixels: 6.2
  draws.uniforms[uniform::kXintY] = 0.14;  // -0.72 / 8 of 40 pixels: -3.6
  expect_source(transforms("xint", draws).source, {{{{1, 0, -6}, {0, 1, 4}}}});
}

TEST(AdaTransforms, StretchByPowersOfTwo) {
  auto draws = middle();
  draws.normals[normal::kScale] = 5;
  expect_source(transforms("scale", draws).source, {{{{0.5, 0, 0}, {0, 0.5, 0}}}});
  draws.normals[normal::kAniso] = -10;
  expect_source(transforms("aniso", draws).source, {{{{4, 0, 0}, {0, 0.25, 0}}}});
  draws.normals[normal::kXfracX] = 1;
  draws.normals[normal::kXfracY] = -2;
  expect_source(transforms("xfrac", draws).source, {{{{1, 0, -10}, {0, 1, 10}}}});
}

TEST(AdaTransforms, RotateBeforeAndAfterStretching) {
  auto draws = middle();
  draws.uniforms[uniform::kPreRotate] = 0.75;  // a quarter turn
  expect_source(transforms("rotate", draws).source, {{{{0, -1, 0}, {1, 0, 0}}}});
  draws.uniforms[uniform::kPostRotate] = 0.25;  // and back
  expect_source(transforms("rotate", draws).source, {});
  draws.normals[normal::kAniso] = 5;
  expect_source(transforms("geom", draws).source, {{{{2, 0, 0}, {0, 0.5, 0}}}});
}

TEST(AdaTransforms, MapColors) {
  auto draws = middle();
  draws.normals[normal::kBrightness] = 2;
  draws.normals[normal::kContrast] = 4;
  ColorMap brighter_then_four_times{{{{4, 0, 0, 1.6}, {0, 4, 0, 1.6}, {0, 0, 4, 1.6}}}};
  expect_color(transforms("color", draws).color, brighter_then_four_times);

  draws = middle();
  draws.uniforms[uniform::kLumaflip] = 0.5;  // gray becomes its negative, hues stay
  const double a = 1.0 / 3, b = -2.0 / 3;
  expect_color(transforms("lumaflip", draws).color, {{{{a, b, b, 0}, {b, a, b, 0}, {b, b, a, 0}}}});

  draws.uniforms[uniform::kHue] = 0.5 + 1.0 / 3;  // a third turn: red becomes green
  expect_color(transforms("hue", draws).color, {{{{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}}}});

  draws.normals[normal::kSaturation] = 1;
  const double c = 5.0 / 3, d = -1.0 / 3;
  expect_color(transforms("saturation", draws).color,
               {{{{c, d, d, 0}, {d, c, d, 0}, {d, d, c, 0}}}});
}

// Each band in its turn is set to 2, and all are scaled back to a power of 1.
TEST(AdaTransforms, KeepTheExpectedPowerOfBands) {
  auto draws = middle();
  draws.normals[normal::kBands + 1] = 1;
  const double scale = 1 / std::sqrt(16.0 / 13);  // 10 + 4 + 1 + 1
  const auto gains = transforms("filter", draws).band_gains;
  EXPECT_NEAR(gains[0], scale, 1e-12);
  EXPECT_NEAR(gains[1], 2 * scale, 1e-12);
  EXPECT_NEAR(gains[2], scale, 1e-12);
  EXPECT_NEAR(gains[3], scale, 1e-12);
}

TEST(AdaTransforms, CorruptWithNoiseAndHoles) {
  auto draws = middle();
  draws.normals[normal::kNoise] = -3;
  draws.uniforms[uniform::kCutoutX] = 0.2;
  EXPECT_NEAR(transforms("noise", draws).noise_sigma, 0.3, 1e-12);
  const auto cutout = transforms("cutout", draws).cutout;
  ASSERT_TRUE(cutout.has_value());
  EXPECT_EQ(cutout->x, 0.2);
  EXPECT_EQ(cutout->y, 0.5);
}

// The two rotations are by continuous angles, so an image is rotated where either takes place.
TEST(AdaTransforms, HappenWithTheirProbability) {
  constexpr int kImages = 20000;
  constexpr double kP = 0.36;
  const auto draws = random_ada_draws({9, 0, 1}, Use::kReals, kImages);
  for (const auto& [name, probability] :
       {std::pair{"rotate", kP}, {"scale", kP}, {"xflip", kP / 2}, {"rotate90", kP * 3 / 4}}) {
    int changed = 0;
    for (const auto& one : draws) changed += transforms(name, one, kP).source == Affine{} ? 0 : 1;
    const double deviation = std::sqrt(probability * (1 - probability) / kImages);
    EXPECT_NEAR(static_cast<double>(changed) / kImages, probability, 5 * deviation) << name;
  }
}

}  // namespace
}  // namespace ganscale::augment
