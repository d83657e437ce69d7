#include "training/evaluation/equivariance.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <numbers>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::training {
namespace {

/// Images are waves whose phases the styles set, at places that the input transform moves, or not.
class Waves : public models::StyleGenerator {
 public:
  explicit Waves(bool follows, const Resolution& resolution = 32)
      : StyleGenerator({.channels = 1, .resolution = resolution}, /*z_dim=*/2, /*label_count=*/0),
        follows_(follows),
        transform_(register_buffer("transform", at::eye(3, at::kDouble))) {
    register_parameter("unused", at::zeros({1}, at::kDouble));
    eval();
  }
  at::Tensor map(const at::Tensor& z, const at::Tensor& /*labels*/,
                 const models::Truncation& truncation) override {
    return z.unsqueeze(1) * truncation.psi;
  }
  at::Tensor map_for_training(const models::Latents& /*latents*/) override { return {}; }
  models::Latents draw(const at::Tensor& /*z*/, const at::Tensor& /*labels*/,
                       kernels::RandomStream& /*random*/) override {
    return {};
  }
  at::Tensor synthesize(const at::Tensor& w, kernels::RandomStream& /*random*/) override {
    const Resolution resolution = image().resolution;
    const auto line = [&](int count) {
      return (at::arange(count, at::TensorOptions(at::kDouble)) - (count - 1) / 2.0) /
             resolution.shorter_side();
    };
    const auto x = line(resolution.width).unsqueeze(0);
    const auto y = line(resolution.height).unsqueeze(1);
    const auto inverse = follows_ ? transform_ : at::eye(3, at::kDouble);
    const auto at = [&](int row) {
      return x * inverse[row][0] + y * inverse[row][1] + inverse[row][2];
    };
    const auto turns = at(0) * 3.1 + at(1) * 1.3;  // a long wave of no whole number per image
    return (turns * (2 * std::numbers::pi) + w.sum(2).unsqueeze(2).unsqueeze(3)).cos();
  }
  at::Tensor input_transform() override { return transform_; }

 private:
  bool follows_;
  at::Tensor transform_;
};

double measure(models::StyleGenerator& generator, const std::string& name, comm::Group& group) {
  return equivariance(generator, {metrics::parse_metric(name), /*seed=*/3}, group);
}

double measure(models::StyleGenerator& generator, const std::string& name) {
  return measure(generator, name, *comm::make_single_group());
}

TEST(Equivariance, IsHighIfImagesFollowTheirInput) {
  Waves generator(/*follows=*/true);
  EXPECT_GT(measure(generator, "eqt40_int"), 120);  // but for the rounding of pixels to float32
  EXPECT_GT(measure(generator, "eqt40_frac"), 45);
  EXPECT_GT(measure(generator, "eqr40"), 40);
  EXPECT_TRUE(at::equal(generator.input_transform(), at::eye(3, at::kDouble)));
}

TEST(Equivariance, IsLowIfImagesStayInPlace) {
  Waves generator(/*follows=*/false);
  for (const char* name : {"eqt40_int", "eqt40_frac", "eqr40"}) {
    EXPECT_LT(measure(generator, name), 15) << name;
  }
}

TEST(Equivariance, MovesImagesThatAreNotSquaresByPartsOfTheirShorterSide) {
  for (const Resolution& resolution : {Resolution(32, 64), Resolution(64, 32)}) {
    Waves follows(/*follows=*/true, resolution);
    EXPECT_GT(measure(follows, "eqt40_int"), 120) << text_of(resolution);
    EXPECT_GT(measure(follows, "eqt40_frac"), 45) << text_of(resolution);
    Waves stays(/*follows=*/false, resolution);
    EXPECT_LT(measure(stays, "eqt40_int"), 15) << text_of(resolution);
  }
}

// The last of three motions has two images.
TEST(Equivariance, IsTheSameOnAnyNumberOfRanks) {
  for (const char* name : {"eqt10_int", "eqt10_frac", "eqr10"}) {
    Waves alone(/*follows=*/false);
    const double expected = measure(alone, name);
    for (const int ranks : {2, 4}) {
      comm::run_ranks(ranks, [&](comm::Group& group) {
        Waves generator(/*follows=*/false);
        EXPECT_EQ(measure(generator, name, group), expected) << name;
      });
    }
  }
}

TEST(Equivariance, IsThatOfTruncatedStyles) {
  Waves generator(/*follows=*/false);
  const auto group = comm::make_single_group();
  const auto metric = metrics::parse_metric("eqt40_frac");
  const double truncated =
      equivariance(generator, {metric, /*seed=*/3, /*labels=*/{}, {.psi = 0.5}}, *group);
  EXPECT_NE(truncated, measure(generator, "eqt40_frac"));
}

TEST(Equivariance, OfTooSmallImagesIsRefused) {
  Waves generator(/*follows=*/true, /*resolution=*/8);
  expect_error(ExitCode::kConfig, "images are too small to compare after a motion: eqr10, 8 pixels",
               [&] { measure(generator, "eqr10"); });
}

}  // namespace
}  // namespace ganscale::training
