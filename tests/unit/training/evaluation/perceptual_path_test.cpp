#include "training/evaluation/perceptual_path.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <numbers>

#include "comm/backends/thread_group.h"
#include "models/contract/style_generator.h"
#include "support/expect_error.h"

namespace ganscale::training {
namespace {

constexpr std::uint64_t kSeed = 9;
constexpr std::int64_t kPaths = 40;

/// Embeds an image as its pixels.
class Pixels : public metrics::PerceptualNet {
  at::Tensor compute(const at::Tensor& images) override {
    return (images / 127.5 - 1).select(1, 0).flatten(1);
  }
};

/// Styles are the latents, truncated toward zero; an image has their cubes, or another power, twice.
/// The noise is drawn and left out.
class Cubes : public models::StyleGenerator {
 public:
  explicit Cubes(int z_dim, double power = 3)
      : StyleGenerator({.channels = 1, .resolution = 1}, z_dim, /*label_count=*/0), power_(power) {
    register_parameter("unused", at::zeros({1}, at::kDouble));
    eval();
  }
  at::Tensor map(const at::Tensor& z, const at::Tensor& /*labels*/,
                 const models::Truncation& truncation) override {
    EXPECT_FALSE(is_training());
    return z.unsqueeze(1) * truncation.psi;
  }
  at::Tensor map_for_training(const models::Latents& /*latents*/) override { return {}; }
  models::Latents draw(const at::Tensor& /*z*/, const at::Tensor& /*labels*/,
                       kernels::RandomStream& /*random*/) override {
    return {};
  }
  at::Tensor synthesize(const at::Tensor& w, kernels::RandomStream& random) override {
    EXPECT_TRUE(is_training()) << "the noise is constant";
    const auto noise = random.normal({w.size(0), 1, 1, 1}, w.options());
    noises.push_back(noise.clone());
    return w.unsqueeze(1).pow(power_).repeat({1, 1, 1, 2});
  }

  std::vector<at::Tensor> noises;

 private:
  double power_;
};

at::Tensor latents(std::int64_t numbers) {
  return kernels::random_normal({kSeed, 0, 1}, Stream::kEvaluate, /*site=*/0, {kPaths, numbers},
                                at::TensorOptions(at::kDouble));
}

double measure(models::Generator& generator, const metrics::PathRule& rule, comm::Group& group) {
  Pixels net;
  return perceptual_path_length(generator, net, {.rule = rule, .path_count = kPaths, .seed = kSeed},
                                group);
}

double measure(models::Generator& generator, const metrics::PathRule& rule) {
  return measure(generator, rule, *comm::make_single_group());
}

// Two pixels, whose derivative along the path is 3 w^2 (w1 - w0).
TEST(PerceptualPathLength, BetweenStylesIsTheMeanSquareOfTheDerivative) {
  Cubes generator(/*z_dim=*/1);
  const auto ends = latents(2).chunk(2, 1);
  const auto across = ends[1] - ends[0];
  const auto expected = [&](const at::Tensor& t) {
    const auto slope = (ends[0] + t * across).square() * 3 * across;
    return metrics::mean_without_tails(slope.square().flatten() * 2);
  };
  const double at_ends = expected(at::zeros({kPaths, 1}, at::kDouble));
  EXPECT_NEAR(measure(generator, {}), at_ends, 0.01 * at_ends);
  const auto t = kernels::random_uniform({kSeed, 0, 1}, Stream::kEvaluate, /*site=*/1, {kPaths, 1},
                                         at::TensorOptions(at::kDouble));
  const double anywhere = expected(t);
  EXPECT_NEAR(measure(generator, {.is_anywhere = true}), anywhere, 0.01 * anywhere);
  EXPECT_FALSE(generator.is_training());
}

// The derivative, 3 w^2 (w1 - w0), is an eighth.
TEST(PerceptualPathLength, IsThatOfTruncatedStyles) {
  Cubes generator(/*z_dim=*/1);
  const auto group = comm::make_single_group();
  const auto measure_at = [&](double psi) {
    Pixels net;
    const PathMeasurement measurement{
        .rule = {}, .path_count = kPaths, .seed = kSeed, .truncation = {.psi = psi}};
    return perceptual_path_length(generator, net, measurement, *group);
  };
  const double whole = measure_at(1);
  EXPECT_NEAR(measure_at(0.5), whole / 64, 0.02 * whole / 64);
}

// The point goes around a circle of radius sqrt(2) at the rate of the angle; each number is two
// pixels.
TEST(PerceptualPathLength, BetweenLatentsIsTheSquareOfTheAngle) {
  Cubes generator(/*z_dim=*/2, /*power=*/1);
  const auto ends = latents(4).chunk(2, 1);
  const auto cosine =
      (ends[0] * ends[1]).sum(1) / ends[0].norm(2, {1}, false) / ends[1].norm(2, {1}, false);
  const double expected = metrics::mean_without_tails(cosine.acos().square() * 4);
  for (const bool is_anywhere : {false, true}) {
    const metrics::PathRule rule{.is_between_latents = true, .is_anywhere = is_anywhere};
    EXPECT_NEAR(measure(generator, rule), expected, 0.01 * expected);
  }
}

TEST(PerceptualPathLength, HasTheSameNoiseAtBothEndsOfAStep) {
  Cubes generator(1);
  measure(generator, {});
  ASSERT_EQ(generator.noises.size() % 2, 0U);
  for (std::size_t i = 0; i < generator.noises.size(); i += 2) {
    EXPECT_TRUE(at::equal(generator.noises[i], generator.noises[i + 1]));
    EXPECT_GT(generator.noises[i].std().item<double>(), 0.1) << "one noise for all paths";
  }
}

TEST(PerceptualPathLength, IsTheSameOnAnyNumberOfRanks) {
  Cubes alone(1);
  const metrics::PathRule rule{.is_anywhere = true};
  const double expected = measure(alone, rule);
  comm::run_ranks(3, [&](comm::Group& group) {
    Cubes generator(1);
    EXPECT_NEAR(measure(generator, rule, group), expected, 1e-6 * expected);
  });
}

TEST(PerceptualPathLength, ThatIsInfiniteIsRefused) {
  Cubes generator(1, /*power=*/-1e9);
  expect_error(ExitCode::kData, "NaN or infinity for a generated image: path 1",
               [&] { measure(generator, {}); });
}

}  // namespace
}  // namespace ganscale::training
