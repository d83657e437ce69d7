#include "augment/blur/fading_blur.h"

#include <ATen/ATen.h>

#include <cmath>

#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::augment {
namespace {

TEST(BlurSigma, FallsToZero) {
  const FadingBlur blur{.sigma = 10, .fade_kimg = 200};
  EXPECT_EQ(blur_sigma(blur, 0), 10);
  EXPECT_EQ(blur_sigma(blur, 50'000), 7.5);
  EXPECT_EQ(blur_sigma(blur, 200'000), 0);
  EXPECT_EQ(blur_sigma(blur, 300'000), 0);
  EXPECT_EQ(blur_sigma({.sigma = 10}, 0), 0);
}

// At sigma 1 the pixels next to the center weigh half of it, the next ones a sixteenth.
TEST(Blurred, SpreadsAPointByItsDistances) {
  const auto point = at::zeros({1, 1, 9, 9}, at::kDouble);
  point[0][0][4][4] = 1;
  const auto y = blurred(point, 1)[0][0];
  const auto weight = [&](int dx, int dy) { return (y[4 + dy][4 + dx] / y[4][4]).item<double>(); };
  EXPECT_NEAR(weight(1, 0), 0.5, 1e-12);
  EXPECT_NEAR(weight(0, 2), 1.0 / 16, 1e-12);
  EXPECT_NEAR(weight(1, 1), 0.25, 1e-12);
  EXPECT_EQ(weight(4, 0), 0);
  EXPECT_NEAR(y.sum().item<double>(), 1, 1e-12);
}

TEST(Blurred, LeavesImagesWhereItReachesNoPixel) {
  const auto images = fixed_numbers({2, 3, 4, 4}, 0);
  EXPECT_TRUE(blurred(images, 0).is_same(images));
  EXPECT_TRUE(blurred(images, 0.3).is_same(images));
}

TEST(Blurred, HasTwoDerivatives) {
  expect_two_derivatives([](const Tensors& in) { return blurred(in[0], 0.7).pow(3); },
                         {fixed_numbers({1, 1, 5, 4}, 0)});
}

TEST(ReadFadingBlur, RequiresATimeToFade) {
  const auto read = [](const std::string& yaml) {
    config::Section in(config::parse_yaml(yaml, "run.yaml"));
    return read_fading_blur(in);
  };
  EXPECT_EQ(read("{blur_sigma: 10, blur_fade_kimg: 200}").fade_kimg, 200);
  expect_error(ExitCode::kConfig, "blur_fade_kimg: must be positive for a blur to fade",
               [&] { read("blur_sigma: 10"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: blur_sigma: must not be negative",
               [&] { read("blur_sigma: -1"); });
}

// A kernel takes at most 1024 taps; those of sigma 170.5 are 1023, those of 171 are 1027.
TEST(ReadFadingBlur, RefusesAFilterThatNoKernelTakes) {
  const auto read = [](const std::string& sigma) {
    config::Section in(
        config::parse_yaml("{blur_fade_kimg: 200, blur_sigma: " + sigma + "}", "run.yaml"));
    return read_fading_blur(in);
  };
  EXPECT_EQ(read("170.5").sigma, 170.5);
  for (const char* sigma : {"171", "1e30"}) {
    expect_error(ExitCode::kConfig,
                 "run.yaml:1: blur_sigma: three times blur_sigma must be below 512",
                 [&] { read(sigma); });
  }
}

}  // namespace
}  // namespace ganscale::augment
