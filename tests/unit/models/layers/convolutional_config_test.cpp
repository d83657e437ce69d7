#include "models/layers/convolutional_config.h"

#include <gtest/gtest.h>

namespace ganscale::models {
namespace {

ConvolutionalConfig read(const std::string& yaml) {
  config::Section in(config::parse_yaml(yaml, "run.yaml"));
  return read_convolutional(in);
}

TEST(ReadConvolutional, ReadsEveryKey) {
  const auto c = read("{z_dim: 12, batch_norm: synchronized, spectral_norm: true}");
  EXPECT_EQ(c.z_dim, 12);
  EXPECT_EQ(c.batch_norm, BatchNormMode::kSynchronized);
  EXPECT_TRUE(c.spectral_norm);
  EXPECT_EQ(read("batch_norm: local").batch_norm, BatchNormMode::kLocal);
  EXPECT_EQ(read("batch_norm: frozen").batch_norm, BatchNormMode::kFrozen);
}

}  // namespace
}  // namespace ganscale::models
