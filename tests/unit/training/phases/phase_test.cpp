#include "training/phases/phase.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <cmath>
#include <limits>

#include "comm/backends/thread_group.h"
#include "comm/collectives/bucketed_gradients.h"
#include "optim/rules/sgd.h"
#include "training/phases/skipped_updates.h"

namespace ganscale::training {
namespace {

/// One weight w and one bias b; the loss of the tests is w * factor + b.
class Line : public torch::nn::Module {
 public:
  Line() {
    weight = register_parameter("weight", at::ones({1}));
    bias = register_parameter("bias", at::ones({1}));
  }
  at::Tensor weight;
  at::Tensor bias;
};

struct Done {
  NamedTensors statistics;
  std::vector<SkippedUpdate> skipped;
};

struct PhaseOfLine {
  /// ranks: whose gradients are averaged; null: this rank's alone.
  explicit PhaseOfLine(double factor, comm::Group* ranks = nullptr)
      : gradients(line.parameters(), ranks != nullptr ? *ranks : *group, 1000) {
    phase.name = "Gmain";
    phase.network = &line;
    phase.optimizer = optimizer.get();
    phase.gradients = &gradients;
    phase.learning_rate = [](std::int64_t images_seen) { return images_seen == 0 ? 0.5 : 0.25; };
    phase.losses = {[this, factor](const StepInput&) {
      const auto loss = (line.weight * factor + line.bias).sum();
      return PhaseLoss{loss, {{"loss/generator", loss.detach()}}};
    }};
  }

  Done run(std::int64_t images_seen = 0) {
    const NamedTensors statistics = compute_gradients(phase, {}).statistics;
    SkippedUpdates skipped;
    skipped.add(phase, update_network(phase, images_seen));
    return {statistics, skipped.take()};
  }

  Line line;
  std::unique_ptr<comm::Group> group = comm::make_single_group();
  comm::BucketedGradients gradients;
  std::unique_ptr<optim::Optimizer> optimizer =
      builder_of(optim::SgdOptions{})(named_parameters(line), /*lazy_factor=*/1);
  Phase phase;
};

TEST(Phase, UpdatesItsNetworkAtTheRateOfTheImagesSeen) {
  PhaseOfLine line(2);
  const Done first = line.run();
  EXPECT_TRUE(first.skipped.empty());
  EXPECT_DOUBLE_EQ(first.statistics.at("loss/generator").item<double>(), 3);
  EXPECT_FLOAT_EQ(line.line.weight.item<float>(), 0.0F);  // 1 - 0.5 * 2
  EXPECT_FLOAT_EQ(line.line.bias.item<float>(), 0.5F);
  line.run(/*images_seen=*/64);
  EXPECT_FLOAT_EQ(line.line.weight.item<float>(), -0.5F);  // 0 - 0.25 * 2: gradients do not pile up
}

// The momentum of the update before would move the bias, even without a gradient.
TEST(Phase, LeavesExcludedParametersAlone) {
  PhaseOfLine line(2);
  const auto momentum = builder_of(optim::SgdOptions{.momentum = 0.5})(named_parameters(line.line),
                                                                       /*lazy_factor=*/1);
  line.phase.optimizer = momentum.get();
  line.run();
  const float before = line.line.bias.item<float>();
  line.phase.left_alone = {line.line.bias};
  line.run();
  EXPECT_EQ(line.line.bias.item<float>(), before);
  EXPECT_TRUE(line.line.bias.grad().defined());
  line.phase.left_alone.clear();
  line.run();
  EXPECT_NE(line.line.bias.item<float>(), before);
}

// As by two prefixes, of which one begins with the other.
TEST(Phase, GivesBackTheGradientOfAParameterThatIsExcludedTwice) {
  PhaseOfLine line(2);
  line.phase.left_alone = {line.line.bias, line.line.bias};
  line.run();
  EXPECT_FLOAT_EQ(line.line.bias.item<float>(), 1.0F);
  EXPECT_TRUE(line.line.bias.grad().defined());
}

TEST(Phase, NamesTheParameterOfANanAndLeavesTheNetworkAsItWas) {
  PhaseOfLine line(std::numeric_limits<double>::quiet_NaN());
  const Done done = line.run();
  ASSERT_EQ(done.skipped.size(), 1U);
  EXPECT_EQ(done.skipped[0].phase, "Gmain");
  EXPECT_EQ(done.skipped[0].parameter, "weight");
  EXPECT_FLOAT_EQ(line.line.weight.item<float>(), 1.0F);
  EXPECT_FLOAT_EQ(line.line.bias.item<float>(), 1.0F);
}

TEST(Phase, AddsTheGradientsAndStatisticsOfItsParts) {
  PhaseOfLine line(2);
  line.phase.losses.push_back(line.phase.losses.front());
  const Done result = line.run();
  EXPECT_DOUBLE_EQ(result.statistics.at("loss/generator").item<double>(), 6);
  EXPECT_FLOAT_EQ(line.line.weight.item<float>(), -1.0F);  // 1 - 0.5 * (2 + 2)
}

// The loss of an image x is (w + b) x: the two passes have the means 1.5 and 4.
TEST(Phase, TakesTheMeanOverItsPasses) {
  PhaseOfLine line(1);
  line.phase.passes = 2;
  line.phase.images_per_pass = 2;
  std::vector<std::int64_t> first_images;
  line.phase.losses = {[&](const StepInput& input) {
    first_images.push_back(input.images.first_image);
    const auto loss = (line.line.weight + line.line.bias).mul(input.real.images.mean()).sum();
    return PhaseLoss{loss, {{"loss/generator", loss.detach()}}};
  }};
  const StepInput input{.real = {at::tensor({1.0F, 2.0F, 3.0F, 5.0F}), {}},
                        .images = {.seed = 1, .first_image = 100, .image_stride = 3}};
  const NamedTensors statistics = compute_gradients(line.phase, input).statistics;
  EXPECT_FLOAT_EQ(line.line.weight.grad().item<float>(), 2.75F);
  EXPECT_FLOAT_EQ(statistics.at("loss/generator").item<float>(), 2 * 2.75F);
  EXPECT_EQ(first_images, (std::vector<std::int64_t>{100, 106}));
}

TEST(Phase, TakesThePartOfFakesThatAPassTakes) {
  const StepInput input{.real = {at::tensor({1.0F, 2.0F, 3.0F, 4.0F}), at::tensor({4, 5, 6, 7})},
                        .images = {},
                        .fakes = Fakes{.images = at::tensor({10.0F, 20.0F, 30.0F, 40.0F}),
                                       .labels = at::tensor({4, 5, 6, 7}),
                                       .next_site = 9}};
  const StepInput part = part_of(input, 2, 2);
  EXPECT_TRUE(at::equal(part.real.images, at::tensor({3.0F, 4.0F})));
  ASSERT_TRUE(part.fakes.has_value());
  EXPECT_TRUE(at::equal(part.fakes->images, at::tensor({30.0F, 40.0F})));
  EXPECT_TRUE(at::equal(part.fakes->labels, at::tensor({6, 7})));
  EXPECT_EQ(part.fakes->next_site, 9);
}

TEST(Phase, AddsALossOfTheWeightsOnceAStep) {
  PhaseOfLine line(2);
  line.phase.weight_loss = [&] {
    const auto loss = line.line.weight.square().sum();
    return PhaseLoss{loss, {{"loss/weights", loss.detach()}}};
  };
  const Done result = line.run();
  EXPECT_DOUBLE_EQ(result.statistics.at("loss/weights").item<double>(), 1);
  EXPECT_FLOAT_EQ(line.line.weight.item<float>(), -1.0F);  // 1 - 0.5 * (2 + 2)
}

// After a step of 0.5 the weight is 1 - 0.5 * 4 = -1 and the bias 1 - 0.5 = 0.5.
TEST(Phase, ClampsParametersToTheLimit) {
  PhaseOfLine line(4);
  line.phase.weight_limit = 0.75;
  line.run();
  EXPECT_FLOAT_EQ(line.line.weight.item<float>(), -0.75F);
  EXPECT_FLOAT_EQ(line.line.bias.item<float>(), 0.5F);
}

// The gradient (.75, 1) has the norm 1.25; half of it moves the weight by .5 * .375.
TEST(Phase, ClipsTheGradientOfTheWholeNetwork) {
  PhaseOfLine line(0.75);
  line.phase.max_gradient_norm = 0.625;
  line.run();
  EXPECT_EQ(line.line.weight.item<float>(), 1 - 0.5F * 0.375F);
  EXPECT_EQ(line.line.bias.item<float>(), 1 - 0.5F * 0.5F);
}

/// Returns the weight after a clipped update whose loss has the mean factor of the images 1 to 4,
/// of which rank r has r + 1, r + 1 + ranks, ...
float clipped_weight(int ranks) {
  float weight = 0;
  comm::run_ranks(ranks, [&](comm::Group& group) {
    double sum = 0;
    for (int image = group.rank() + 1; image <= 4; image += group.size()) sum += image;
    PhaseOfLine line(sum * group.size() / 4, &group);
    line.phase.max_gradient_norm = 0.1;
    line.run();
    if (group.rank() == 0) weight = line.line.weight.item<float>();
  });
  return weight;
}

TEST(Phase, ClipsTheMeanOfAllRanks) {
  EXPECT_NEAR(clipped_weight(1), 1 - 0.5 * 0.1 * 2.5 / std::hypot(2.5, 1), 1e-7);
  EXPECT_EQ(clipped_weight(2), clipped_weight(1));
  EXPECT_EQ(clipped_weight(4), clipped_weight(1));
}

TEST(Phase, TakesAnInfinityForNonfiniteToo) {
  PhaseOfLine line(std::numeric_limits<double>::infinity());
  EXPECT_EQ(line.run().skipped.at(0).parameter, "weight");
}

TEST(Phase, LeavesNoNetworkWithGradientsSwitchedOn) {
  PhaseOfLine line(2);
  line.run();
  EXPECT_FALSE(line.line.weight.requires_grad());
}

}  // namespace
}  // namespace ganscale::training
