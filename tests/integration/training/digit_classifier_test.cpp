#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "classifier.h"
#include "support/shared_files.h"
#include "support/thorough.h"

namespace ganscale::features {
namespace {

TEST(InceptionScore, IsTenForClearDigitsInEqualParts) {
  const auto certain = at::eye(10, at::kDouble).clamp_min(1e-30).log();
  EXPECT_NEAR(inception_score(certain), 10, 1e-9);
}

TEST(InceptionScore, IsOneIfEveryImageIsTheSameDigitOrNone) {
  const auto one_digit = at::eye(10, at::kDouble)[3].clamp_min(1e-30).log().expand({7, 10});
  EXPECT_NEAR(inception_score(one_digit), 1, 1e-9);
  EXPECT_NEAR(inception_score(at::full({5, 10}, std::log(0.1), at::kDouble)), 1, 1e-9);
}

// Half of the images are surely a 0, half a 0 or a 1 alike: p(y) = (3/4, 1/4), the divergences
// are ln 4/3 and ln(1/2 / 3/4)/2 + ln(1/2 / 1/4)/2 = ln(4/3)/2.
TEST(InceptionScore, IsTheExponentialOfTheMeanDivergence) {
  auto p = at::zeros({2, 10}, at::kDouble);
  p[0][0] = 1;
  p[1].narrow(0, 0, 2).fill_(0.5);
  EXPECT_NEAR(inception_score(p.clamp_min(1e-30).log()), std::pow(4.0 / 3, 0.75), 1e-9);
}

TEST(Classifier, LearnsRealDigitsTo97PercentAndGivesThemAHighScore) {
  if (!is_thorough()) GTEST_SKIP() << "half a minute: make check-long runs it";
  const auto train = shared_file("data/mnist/train-images-idx3-ubyte.gz");
  const auto test = shared_file("data/mnist/t10k-images-idx3-ubyte.gz");
  if (!train || !test) GTEST_SKIP() << "no MNIST: shared/data/mnist/*-images-idx3-ubyte.gz";
  Classifier classifier({}, /*seed=*/1000);
  classifier.train(read_labeled(*train), /*epochs=*/2);
  const auto digits = read_labeled(*test);
  const auto log_probabilities = classifier.log_probabilities(digits.images);
  EXPECT_GE(accuracy(log_probabilities, digits.labels), 0.97);
  EXPECT_GE(inception_score(log_probabilities), 9);
}

}  // namespace
}  // namespace ganscale::features
