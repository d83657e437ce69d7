#include "models/layers/convolutional_config.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::models {
namespace {

ConvolutionalConfig read(const std::string& yaml, Labels labels = Labels::kNeeded) {
  config::Section in(config::parse_yaml(yaml, "run.yaml"));
  auto c = read_convolutional(in, {.labels = labels});
  read_label_dim(in, {.labels = labels}, c);
  return c;
}

TEST(ReadConvolutional, ReadsEveryKey) {
  const auto c = read(
      "{z_dim: 12, channels: 0.25, batch_norm: synchronized, spectral_norm: true, label_dim: 100, "
      "label_networks: generator}");
  EXPECT_EQ(c.channels, 0.25);
  EXPECT_EQ(c.label_dim, 100);
  EXPECT_FALSE(c.scores_labels);
  EXPECT_EQ(c.z_dim, 12);
  EXPECT_EQ(c.batch_norm, BatchNormMode::kSynchronized);
  EXPECT_TRUE(c.spectral_norm);
  EXPECT_EQ(read("batch_norm: local").batch_norm, BatchNormMode::kLocal);
  EXPECT_EQ(read("batch_norm: frozen").batch_norm, BatchNormMode::kFrozen);
}

TEST(ReadConvolutional, RefusesWhatNeedsLabelsOfAModelWithoutLabels) {
  const std::string why = "the model has no labels; use a conditional model, or leave this out";
  expect_error(ExitCode::kConfig, "run.yaml:1: label_networks: " + why,
               [] { read("label_networks: generator", Labels::kNone); });
  expect_error(ExitCode::kConfig, "run.yaml:1: label_dim: " + why,
               [] { read("label_dim: 100", Labels::kNone); });
  EXPECT_NO_THROW(read("{}", Labels::kNone));
}

TEST(ReadConvolutional, RefusesWidthsOutOfRange) {
  expect_error(ExitCode::kConfig, "run.yaml:1: channels: must be a factor above 0, at most 16",
               [] { read("channels: 0"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: label_dim: must be 1 to 8192: 0",
               [] { read("label_dim: 0"); });
}

TEST(ScaledWidth, IsRoundedAndNeverZero) {
  EXPECT_EQ(scaled_width(64, 0.25), 16);
  EXPECT_EQ(scaled_width(16, 0.1), 2);
  EXPECT_EQ(scaled_width(16, 0.01), 1);
  EXPECT_EQ(scaled_width(64, 2), 128);
}

}  // namespace
}  // namespace ganscale::models
