#include "training/replica/generator_average.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "optim/rules/sgd.h"
#include "unit/training/tiny_generator.h"

namespace ganscale::training {
namespace {

/// A half-life of 1,000 images, and steps of as many: each goes half of the way.
class Average : public testing::Test {
 protected:
  Average()
      : source_(std::make_shared<TinyGenerator>()),
        tiny_average_(std::make_shared<TinyGenerator>()),
        average_(tiny_average_, source_, {.kimg = 1}, /*batch=*/1000) {
    const at::NoGradGuard no_grad;
    source_->weight.fill_(8);
    source_->mean.fill_(3);
  }

  std::shared_ptr<TinyGenerator> source_;
  std::shared_ptr<TinyGenerator> tiny_average_;
  GeneratorAverage average_;
};

TEST_F(Average, BeginsAsTheGeneratorIs) {
  const auto begun = std::make_shared<TinyGenerator>();
  const GeneratorAverage average(begun, source_, {}, 1000);
  EXPECT_EQ(begun->weight.item<float>(), 8);
  EXPECT_EQ(begun->mean.item<float>(), 3);
  EXPECT_FALSE(begun->is_training());
  EXPECT_FALSE(begun->weight.requires_grad());
}

TEST_F(Average, MovesAtTheEndOfAStepThatDidNotMoveIt) {
  average_.end_step(0, /*is_moved=*/false);
  EXPECT_EQ(tiny_average_->weight.item<float>(), 4);
  EXPECT_EQ(tiny_average_->mean.item<float>(), 3);
}

// sgd at the rate 2 with a gradient of 2: from 8 to 4, and the average half of the way there.
TEST_F(Average, MovesInTheUpdateOfTheGeneratorAndTakesTheBuffersBehindIt) {
  source_->weight.mutable_grad() = at::zeros({1}).add(2);
  const auto optimizer =
      builder_of(optim::SgdOptions{})(named_parameters(*source_), /*lazy_factor=*/1);
  const optim::Averages averages = average_.averages(0);
  optimizer->step(2, &averages);
  average_.end_step(0, /*is_moved=*/true);
  EXPECT_EQ(tiny_average_->weight.item<float>(), 2);
  EXPECT_EQ(tiny_average_->mean.item<float>(), 3);
}

TEST_F(Average, IsTheGeneratorItselfIfTheHalfLifeIsZero) {
  GeneratorAverage none(tiny_average_, source_, {.kimg = 0}, 1000);
  none.end_step(5000, /*is_moved=*/false);
  EXPECT_EQ(tiny_average_->weight.item<float>(), 8);
}

// Half-lives of 1,000 and 500 images: half and three quarters of the way from 8 to 16.
TEST_F(Average, HasOthersWithTheirOwnHalfLives) {
  const auto other = std::make_shared<TinyGenerator>();
  average_.add_other(0.5, other);
  EXPECT_EQ(other->weight.item<float>(), 8);
  EXPECT_FALSE(other->weight.requires_grad());
  {
    const at::NoGradGuard no_grad;
    tiny_average_->weight.fill_(8);
    source_->weight.fill_(16);
    source_->mean.fill_(5);
  }
  average_.end_step(0, /*is_moved=*/false);
  EXPECT_EQ(tiny_average_->weight.item<float>(), 12);
  EXPECT_EQ(other->weight.item<float>(), 14);
  EXPECT_EQ(other->mean.item<float>(), 5);
}

TEST(FileOfAverage, NamesItsHalfLife) {
  EXPECT_EQ(file_of_average(0.5), "generator_ema_0.5");
  EXPECT_EQ(file_of_average(50), "generator_ema_50");
}

}  // namespace
}  // namespace ganscale::training
