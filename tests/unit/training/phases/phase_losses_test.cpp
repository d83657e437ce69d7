#include "training/phases/phase_losses.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "comm/backends/thread_group.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// One layer of styles with one number, w = z, and images of one pixel, slope * w: with noise y, a
/// path is slope * |y| long.
class OnePixel : public models::StyleGenerator {
 public:
  OnePixel() : StyleGenerator({.channels = 1, .resolution = 1}, /*z_dim=*/1, /*label_count=*/0) {
    slope = register_parameter("slope", at::full({1}, 3.0, at::kDouble));
  }
  at::Tensor map(const at::Tensor& z, const at::Tensor& /*labels*/,
                 const models::Truncation& /*truncation*/) override {
    return z.unsqueeze(1).clone().requires_grad_();
  }
  at::Tensor map_for_training(const models::Latents& latents) override {
    images_per_rank = latents.images_per_rank;
    return map(latents.z, {}, {});
  }
  models::Latents draw(const at::Tensor& z, const at::Tensor& labels,
                       kernels::RandomStream& /*random*/) override {
    return {.z = z, .labels = labels};
  }
  at::Tensor synthesize(const at::Tensor& w, kernels::RandomStream& /*random*/) override {
    return (w * slope).unsqueeze(3);
  }

  at::Tensor slope;
  double images_per_rank = 0;
};

/// Scores an image by its only pixel, times two, and its label, where it has one.
class TwicePixel : public models::Discriminator {
 public:
  TwicePixel() : Discriminator({.channels = 1, .resolution = 1}, /*label_count=*/0) {
    factor_ = register_parameter("factor", at::full({1}, 2.0, at::kDouble));
  }
  at::Tensor forward(const at::Tensor& images, const at::Tensor& labels,
                     kernels::RandomStream& /*random*/) override {
    const at::Tensor scores = images.flatten() * factor_;
    return labels.defined() ? scores + labels : scores;
  }
  at::Tensor score_batches(const at::Tensor& images, const at::Tensor& labels, int /*count*/,
                           kernels::RandomStream& random) override {
    return forward(images, labels, random);
  }

 private:
  at::Tensor factor_;
};

at::Tensor column(std::vector<double> values) { return at::tensor(values).unsqueeze(1); }
at::Tensor pixels(std::vector<double> values) { return at::tensor(values).view({-1, 1, 1, 1}); }
double softplus(double x) { return std::log1p(std::exp(x)); }

/// The losses of these networks in float64.
struct Game {
  explicit Game(comm::Group& of_group, const std::string& more = "")
      : config(parse("model: {name: stylegan2}\ntraining: {batch: 4, precision: fp64}\n"
                     "generator: {path_length_weight: 2, path_length_interval: 4, "
                     "path_length_decay: 0.5, path_length_batch_shrink: 1}\n"
                     "discriminator: {r1_gamma: 10, r1_interval: 16}\n" +
                     more)),
        group(of_group) {}

  PhaseLosses losses() {
    return PhaseLosses(
        {config, generator, discriminator, augmentation, mean, at::Device(at::kCPU), group});
  }

  RunConfig config;
  comm::Group& group;
  OnePixel generator;
  TwicePixel discriminator;
  augment::Augmentation augmentation{{}, at::kCPU};
  PathLengthMean mean{at::full({}, 6.0, at::kDouble), nullptr};
};

StepInput given(Stream stream, StepLatents latents, const at::Tensor& real = {}) {
  return {.real = {real, {}}, .images = {}, .given = {{stream, std::move(latents)}}};
}

// G(z) = 3, -3 and D(G(z)) = 6, -6.
TEST(PhaseLosses, OfGeneratorAndFakesAreTheMeansOfThePaper) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  const PhaseLoss generator =
      game.losses().generator(given(Stream::kGeneratorLatent, {.z = column({1, -1})}));
  EXPECT_NEAR(generator.total.item<double>(), (softplus(-6) + softplus(6)) / 2, 1e-12);
  EXPECT_TRUE(generator.total.requires_grad());
  const PhaseLoss fakes =
      game.losses().fakes(given(Stream::kDiscriminatorLatent, {.z = column({1, -1})}));
  EXPECT_NEAR(fakes.total.item<double>(), (softplus(6) + softplus(-6)) / 2, 1e-12);
  fakes.total.backward();
  EXPECT_FALSE(game.generator.slope.grad().defined());
}

// Images 1, -1 are D(G(z)) = 2, -2.
TEST(PhaseLosses, OfGivenFakesMakeNone) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  const StepInput input{.real = {}, .images = {}, .fakes = Fakes{.images = pixels({1, -1})}};
  EXPECT_NEAR(game.losses().fakes(input).total.item<double>(), (softplus(2) + softplus(-2)) / 2,
              1e-12);
}

TEST(PhaseLosses, MakeTheFakesThatTheyWouldScore) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  const StepInput input = given(Stream::kDiscriminatorLatent, {.z = column({1, -1})});
  const Fakes fakes = game.losses().make_fakes(input);
  EXPECT_TRUE(at::equal(fakes.images, pixels({3, -3})));
  EXPECT_FALSE(fakes.images.requires_grad());
}

// The generator takes two images at a time.
TEST(PhaseLosses, MakeTheFakesOfAllPasses) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  game.config.training.accumulate = 2;
  const StepInput input = given(Stream::kDiscriminatorLatent, {.z = column({1, -1, 2, -2})});
  EXPECT_TRUE(at::equal(game.losses().make_fakes(input).images, pixels({3, -3, 6, -6})));
}

// G(z) = 3, -3.
TEST(PhaseLosses, LeaveTheFakesOfTheGeneratorToTheDiscriminator) {
  const auto alone = comm::make_single_group();
  Game game(*alone, "loss: {fakes: shared}\n");
  StepInput input = given(Stream::kGeneratorLatent, {.z = column({1, -1})});
  input.fakes = game.losses().generator(input).fakes;
  ASSERT_TRUE(input.fakes);
  EXPECT_TRUE(at::equal(input.fakes->images, pixels({3, -3})));
  EXPECT_FALSE(input.fakes->images.requires_grad());
  EXPECT_NEAR(game.losses().fakes(input).total.item<double>(), (softplus(6) + softplus(-6)) / 2,
              1e-12);
}

TEST(PhaseLosses, LeaveTheDiscriminatorNewFakes) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  EXPECT_FALSE(
      game.losses().generator(given(Stream::kGeneratorLatent, {.z = column({1, -1})})).fakes);
}

/// Returns the labels that fakes get with reals of label 0, of five; of four images at a time.
at::Tensor labels_of_fakes(bool uniform, std::int64_t images) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  game.config.loss.uniform_labels = uniform;
  game.config.model.label_count = 5;
  std::vector<at::Tensor> labels;
  for (std::int64_t first = 0; first < images; first += 4) {
    const StepInput input{.real = {{}, at::zeros({4}, at::kLong)},
                          .images = {.seed = 1, .first_image = first}};
    labels.push_back(game.losses().make_fakes(input).labels);
  }
  return at::cat(labels);
}

TEST(PhaseLosses, GiveFakesTheLabelsOfTheBatch) {
  EXPECT_EQ(labels_of_fakes(/*uniform=*/false, 40).count_nonzero().item<std::int64_t>(), 0);
}

// Of 4,000 images, 800 for each label with a standard deviation of 25.
TEST(PhaseLosses, DrawLabelsOfFakesUniformly) {
  const at::Tensor labels = labels_of_fakes(/*uniform=*/true, 4000);
  const at::Tensor counts = labels.bincount();
  ASSERT_EQ(counts.numel(), 5);
  EXPECT_LE((counts - 800).abs().max().item<std::int64_t>(), 125) << counts;
}

// G(z) = ln(3) / 2 and 0, D(G(z)) = ln 3 and 0, as probabilities 3/4 and 1/2.
TEST(PhaseLosses, ReportLogitsScoresAndSigns) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  const auto seen =
      game.losses()
          .fakes(given(Stream::kDiscriminatorLatent, {.z = column({std::log(3.0) / 6, 0})}))
          .statistics;
  EXPECT_NEAR(seen.at("logit/fake").item<double>(), std::log(3.0) / 2, 1e-12);
  EXPECT_NEAR(seen.at("score/fake").item<double>(), 0.625, 1e-12);
  EXPECT_EQ(seen.at("sign/fake").item<double>(), 0.5);
  EXPECT_NEAR(seen.at("loss/discriminator").item<double>(), (std::log(4.0) + std::log(2.0)) / 2,
              1e-12);
  const auto real = game.losses().reals({.real = {pixels({1, -1}), {}}, .images = {}}).statistics;
  EXPECT_NEAR(real.at("score/real").item<double>(), 0.5, 1e-12);
  EXPECT_EQ(real.at("sign/real").item<double>(), 0);
}

// D's score of a fake that is 0 is its label.
TEST(PhaseLosses, AskAboutFakesOfTheirLabels) {
  const auto alone = comm::make_single_group();
  Game game(*alone, "loss: {name: wasserstein, gradient_penalty: 0}\n");
  const StepLatents labeled{.z = column({0, 0}),
                            .labels = at::tensor({std::int64_t{3}, std::int64_t{5}})};
  EXPECT_EQ(game.losses().generator(given(Stream::kGeneratorLatent, labeled)).total.item<double>(),
            -4);
  EXPECT_EQ(game.losses()
                .fakes_and_reals(given(Stream::kDiscriminatorLatent, labeled, pixels({0, 0})))
                .total.item<double>(),
            4);
}

// D(x) = 2, 4.
TEST(PhaseLosses, OfRealsAndR1AreTheMeansOfThePaper) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  const StepInput input{.real = {pixels({1, 2}), {}}, .images = {}};
  EXPECT_NEAR(game.losses().reals(input).total.item<double>(), (softplus(-2) + softplus(-4)) / 2,
              1e-12);
  // gamma / 2 * slope^2, times the interval.
  const PhaseLoss r1 = game.losses().lazy_penalties(input);
  EXPECT_NEAR(r1.total.item<double>(), 16 * 10 / 2.0 * 4, 1e-12);
  EXPECT_NEAR(r1.statistics.at("loss/r1").item<double>(), 10 / 2.0 * 4, 1e-12);
}

// G(z) = 3, -3 and D(G(z)) = 6, -6; D(x) = 0, 0.5. The hinge leaves 7, 0 and 1, 0.5.
TEST(PhaseLosses, OfRealsAndFakesInOnePassAreTheirSum) {
  const auto alone = comm::make_single_group();
  Game game(*alone, "loss: {name: hinge}\n");
  const StepInput input =
      given(Stream::kDiscriminatorLatent, {.z = column({1, -1})}, pixels({0, 0.25}));
  const PhaseLoss joined = game.losses().fakes_and_reals(input);
  EXPECT_NEAR(joined.total.item<double>(), 3.5 + 0.75, 1e-12);
  EXPECT_NEAR(joined.statistics.at("logit/fake").item<double>(), 0, 1e-12);
  EXPECT_NEAR(joined.statistics.at("logit/real").item<double>(), 0.25, 1e-12);
  EXPECT_NEAR(game.losses().fakes(input).total.add(game.losses().reals(input).total).item<double>(),
              joined.total.item<double>(), 1e-12);
  joined.total.backward();
  EXPECT_FALSE(game.generator.slope.grad().defined());
}

// A pixel that was cut out moves nothing. At the augmented images each of the 16 would count.
TEST(PhaseLosses, OfR1AreTakenAtTheRealsBeforeTheirAugmentation) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  augment::AugmentConfig cutting;
  cutting.method = augment::Method::kDiffAugment;
  cutting.policy.cutout = true;
  game.augmentation = augment::Augmentation(cutting, at::kCPU);
  const StepInput input{.real = {at::ones({1, 1, 4, 4}, at::kDouble), {}}, .images = {}};
  const double pixel_count =
      game.losses().lazy_penalties(input).total.item<double>() / (16 * 10 / 2.0 * 4);
  EXPECT_GE(pixel_count, 12);  // 2 x 2 at most are cut out
  EXPECT_LT(pixel_count, 16);
}

// Three scores above 0 and one below, of five: the fakes' do not count.
TEST(PhaseLosses, LetTheAugmentationObserveTheReals) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  augment::AugmentConfig adaptive;
  adaptive.method = augment::Method::kAda;
  game.augmentation = augment::Augmentation(adaptive, at::kCPU);
  game.losses().reals({.real = {pixels({2, 3, -1, 5, 0}), {}}, .images = {}});
  game.losses().fakes(given(Stream::kDiscriminatorLatent, {.z = column({1, 1})}));
  game.augmentation.adapt(*alone, /*step=*/0);
  EXPECT_TRUE(at::equal(game.augmentation.state().at("observed"), at::tensor({2.0, 5.0})));
}

// G(z) = 3, -3; D(G(z)) = 6, -6; D(x) = 2, 4.
TEST(PhaseLosses, OfACriticIsItsDifference) {
  const auto alone = comm::make_single_group();
  Game game(*alone, "loss: {name: wasserstein, gradient_penalty: 0}\n");
  const PhaseLoss critic = game.losses().fakes_and_reals(
      given(Stream::kDiscriminatorLatent, {.z = column({1, -1})}, pixels({1, 2})));
  EXPECT_NEAR(critic.total.item<double>(), 0 - 3, 1e-12);
  EXPECT_FALSE(critic.statistics.contains("loss/gradient_penalty"));
  const PhaseLoss generator =
      game.losses().generator(given(Stream::kGeneratorLatent, {.z = column({1, 0})}));
  EXPECT_NEAR(generator.total.item<double>(), -3, 1e-12);
}

// The slope of D is 2 everywhere: (2 - 1)^2, ten times.
TEST(PhaseLosses, OfACriticHasItsGradientPenalty) {
  const auto alone = comm::make_single_group();
  Game game(*alone, "loss: {name: wasserstein}\n");
  const PhaseLoss critic = game.losses().fakes_and_reals(
      given(Stream::kDiscriminatorLatent, {.z = column({1, -1})}, pixels({1, 2})));
  EXPECT_NEAR(critic.statistics.at("loss/gradient_penalty").item<double>(), 10, 1e-9);
  EXPECT_NEAR(critic.total.item<double>(), -3 + 10, 1e-9);
}

constexpr const char* kRelativistic =
    "loss: {name: relativistic}\n"
    "discriminator: {r1_gamma: 4, r2_gamma: 6, penalty_phase: main}\n";

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The same networks in a game of pairs. Overlays the keys above.
struct PairedGame : Game {
  explicit PairedGame(comm::Group& of_group, const std::string& more = "") : Game(of_group) {
    config = parse("model: {name: stylegan2}\n" + std::string(kRelativistic) +
                   "training: {batch: 4, precision: fp64" + more + "}\n");
  }
};

// D(G(z)) = 6, -6; D(x) = 2, 4. Only the fakes, k * 3 z, move with the slope k of G.
TEST(PhaseLosses, OfPairsCompareEachFakeWithItsReal) {
  const auto alone = comm::make_single_group();
  PairedGame game(*alone);
  const PhaseLoss loss = game.losses().generator(
      given(Stream::kGeneratorLatent, {.z = column({1, -1})}, pixels({1, 2})));
  EXPECT_NEAR(loss.total.item<double>(), (softplus(2 - 6) + softplus(4 + 6)) / 2, 1e-12);
  loss.total.backward();
  EXPECT_NEAR(game.generator.slope.grad().item<double>(),
              (-sigmoid(2 - 6) * 2 + sigmoid(4 + 6) * 2) / 2, 1e-12);
  // The gradient of D's factor comes from the fakes' scores alone.
  EXPECT_NEAR(game.discriminator.parameters()[0].grad().item<double>(),
              (-sigmoid(2 - 6) * 3 + sigmoid(4 + 6) * 3) / 2, 1e-12);
}

TEST(PhaseLosses, OfPairsTakeScoresOfOtherRanksInPlaceOfReals) {
  const auto alone = comm::make_single_group();
  PairedGame game(*alone);
  StepInput input = given(Stream::kGeneratorLatent, {.z = column({1, -1})});
  input.scored_reals = ScoredReals{.logits = at::tensor({2.0, 4.0})};
  EXPECT_NEAR(game.losses().generator(input).total.item<double>(),
              (softplus(2 - 6) + softplus(4 + 6)) / 2, 1e-12);
}

TEST(PhaseLosses, ScoreTheRealsOfAllPassesForPairs) {
  const auto alone = comm::make_single_group();
  PairedGame game(*alone, ", accumulate: 2");
  const StepInput input{.real = {pixels({1, 2, 3, 4}), {}}, .images = {}};
  const at::Tensor logits = game.losses().score_pairs(input);
  EXPECT_TRUE(at::equal(logits, at::tensor({2.0, 4.0, 6.0, 8.0})));
  EXPECT_FALSE(logits.requires_grad());
}

// The slope of D is 2 everywhere: gamma / 2 * 4.
TEST(PhaseLosses, OfTheMainPhaseHaveBothPenalties) {
  const auto alone = comm::make_single_group();
  PairedGame game(*alone);
  const PhaseLoss loss = game.losses().fakes_and_reals(
      given(Stream::kDiscriminatorLatent, {.z = column({1, -1})}, pixels({1, 2})));
  const double adversarial = (softplus(6 - 2) + softplus(-6 - 4)) / 2;
  EXPECT_NEAR(loss.statistics.at("loss/discriminator").item<double>(), adversarial, 1e-12);
  EXPECT_NEAR(loss.statistics.at("loss/r1").item<double>(), 4 / 2.0 * 4, 1e-12);
  EXPECT_NEAR(loss.statistics.at("loss/r2").item<double>(), 6 / 2.0 * 4, 1e-12);
  EXPECT_NEAR(loss.total.item<double>(), adversarial + 8 + 12, 1e-12);
  loss.total.backward();
  EXPECT_FALSE(game.generator.slope.grad().defined());
}

// Of pairs (6, 2) and (-6, 4).
TEST(PhaseLosses, OfPairsReportHowMuchHigherTheRealsScore) {
  const auto alone = comm::make_single_group();
  PairedGame game(*alone);
  augment::AugmentConfig adaptive;
  adaptive.method = augment::Method::kAda;
  game.augmentation = augment::Augmentation(adaptive, at::kCPU);
  game.augmentation.begin_step(0);
  const auto seen = game.losses()
                        .fakes_and_reals(given(Stream::kDiscriminatorLatent, {.z = column({1, -1})},
                                               pixels({1, 2})))
                        .statistics;
  EXPECT_NEAR(seen.at("logit/real").item<double>(), (-4 + 10) / 2.0, 1e-12);
  EXPECT_NEAR(seen.at("logit/fake").item<double>(), (4 - 10) / 2.0, 1e-12);
  EXPECT_NEAR(seen.at("score/real").item<double>(), (sigmoid(-4) + sigmoid(10)) / 2, 1e-12);
  EXPECT_EQ(seen.at("sign/real").item<double>(), 0);
  game.augmentation.adapt(*alone, /*step=*/0);
  EXPECT_TRUE(at::equal(game.augmentation.state().at("observed"), at::tensor({0.0, 2.0})));
}

TEST(PhaseLosses, OfALazyPhaseMayBeTakenAtTheFakes) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  game.config.discriminator.penalties.r2_gamma = 6;
  const PhaseLoss both = game.losses().lazy_penalties(
      given(Stream::kDiscriminatorLatent, {.z = column({1, -1})}, pixels({1, 2})));
  EXPECT_NEAR(both.statistics.at("loss/r2").item<double>(), 6 / 2.0 * 4, 1e-12);
  EXPECT_NEAR(both.total.item<double>(), 16 * (10 + 6) / 2.0 * 4, 1e-12);
}

// Lengths 3, 6, 9 and 18, of mean 9; the running mean moves from 6 half of the way, to 7.5.
TEST(PhaseLosses, OfPathLengthsAreTheMeanSquaredDistanceFromTheMovedMean) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  const PhaseLoss loss = game.losses().path_length(
      given(Stream::kPathLength, {.z = column({1, 1, 1, 1}), .noise = pixels({1, -2, 3, 6})}));
  const double mean_square = (4.5 * 4.5 + 1.5 * 1.5 + 1.5 * 1.5 + 10.5 * 10.5) / 4;
  EXPECT_NEAR(loss.statistics.at("path_length").item<double>(), 7.5, 1e-12);
  EXPECT_NEAR(loss.statistics.at("loss/path_length").item<double>(), 2 * mean_square, 1e-12);
  EXPECT_NEAR(loss.total.item<double>(), 4 * 2 * mean_square, 1e-12);
  EXPECT_NEAR(game.mean.value.item<double>(), 7.5, 1e-12);
}

// The first rank has the images 0 and 2, the second one 1 and 3.
TEST(PhaseLosses, OfPathLengthsOnTwoRanksAverageToTheLossOfOne) {
  comm::run_ranks(2, [](comm::Group& group) {
    const auto lengths_group = group.split(0);
    Game game(group);
    game.mean.group = lengths_group.get();
    const bool is_first = group.rank() == 0;
    const PhaseLoss loss = game.losses().path_length(
        given(Stream::kPathLength,
              {.z = column({1, 1}), .noise = is_first ? pixels({1, 3}) : pixels({-2, 6})}));
    const double here = is_first ? 4.5 * 4.5 + 1.5 * 1.5 : 1.5 * 1.5 + 10.5 * 10.5;
    EXPECT_NEAR(loss.statistics.at("loss/path_length").item<double>(), 2 * here / 2, 1e-12);
    EXPECT_NEAR(game.mean.value.item<double>(), 7.5, 1e-12);
    EXPECT_EQ(game.generator.images_per_rank, 2);
  });
}

// With lengths k |y| and the running mean 3 + 1.5 k, which is part of the graph, for k = 3: 4 * 2 *
// the mean of 2 (3 |y| - 7.5) (|y| - 1.5). Without it the factor would be |y|, and the slope 240.
constexpr double kSlopeOfPathLengths = 204;

TEST(PhaseLosses, OfPathLengthsMoveTheMeanInTheirGraph) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  game.losses()
      .path_length(
          given(Stream::kPathLength, {.z = column({1, 1, 1, 1}), .noise = pixels({1, -2, 3, 6})}))
      .total.backward();
  EXPECT_NEAR(game.generator.slope.grad().item<double>(), kSlopeOfPathLengths, 1e-9);
}

TEST(PhaseLosses, OfPathLengthsOnTwoRanksHaveTheSlopeOfOne) {
  comm::run_ranks(2, [](comm::Group& group) {
    const auto lengths_group = group.split(0);
    Game game(group);
    game.mean.group = lengths_group.get();
    game.losses()
        .path_length(given(
            Stream::kPathLength,
            {.z = column({1, 1}), .noise = group.rank() == 0 ? pixels({1, 3}) : pixels({-2, 6})}))
        .total.backward();
    const at::Tensor slope = game.generator.slope.grad().clone();
    group.all_reduce_sum(slope);
    EXPECT_NEAR(slope.item<double>() / 2, kSlopeOfPathLengths, 1e-9);
  });
}

// One path of the batch, 12 long; the running mean moves from 6 to 9.
TEST(PhaseLosses, OfPathLengthsOnARankWithoutImagesMoveTheMeanWithTheOthers) {
  comm::run_ranks(2, [](comm::Group& group) {
    const auto lengths_group = group.split(0);
    Game game(group);
    game.config.generator.path_length.batch_shrink = 4;
    game.mean.group = lengths_group.get();
    const std::int64_t here = group.rank() == 0 ? 1 : 0;
    const PhaseLoss loss = game.losses().path_length(
        given(Stream::kPathLength, {.z = at::ones({here, 1}, at::kDouble),
                                    .noise = at::full({here, 1, 1, 1}, 4.0, at::kDouble)}));
    EXPECT_EQ(game.mean.value.item<double>(), 9);
    // In the mean of the two ranks: 2 * (12 - 9)^2.
    EXPECT_NEAR(loss.statistics.at("loss/path_length").item<double>(), here * 2 * 2 * 9, 1e-12);
    EXPECT_NO_THROW(loss.total.backward());
  });
}

TEST(PhaseLosses, OfPathLengthsOnARankWithoutImagesLeaveItsOwnMeanAlone) {
  comm::run_ranks(2, [](comm::Group& group) {
    Game game(group);
    game.config.generator.path_length.batch_shrink = 4;
    const std::int64_t here = group.rank() == 0 ? 1 : 0;
    const PhaseLoss loss = game.losses().path_length(
        given(Stream::kPathLength, {.z = at::ones({here, 1}, at::kDouble),
                                    .noise = at::full({here, 1, 1, 1}, 4.0, at::kDouble)}));
    EXPECT_EQ(game.mean.value.item<double>(), here == 1 ? 9 : 6);
    EXPECT_NO_THROW(loss.total.backward());
  });
}

TEST(PhaseLosses, KeepAnInfinityOutOfTheMeanPathLength) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  game.losses().path_length(given(
      Stream::kPathLength, {.z = column({1, 1, 1, 1}), .noise = pixels({1, 2, 3, INFINITY})}));
  EXPECT_EQ(game.mean.value.item<double>(), 6);
}

// A rank that trains G alone has labels and no images.
TEST(PhaseLosses, DrawTheLatentsOfAsManyImagesAsARankHas) {
  const auto alone = comm::make_single_group();
  Game game(*alone);
  EXPECT_GT(game.losses().generator({.real = {}, .images = {.seed = 1}}).total.item<double>(), 0);
}

}  // namespace
}  // namespace ganscale::training
