#include "models/stylegan3/geometry.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::models::stylegan3 {
namespace {

SynthesisShape config_t(const Resolution& resolution) {
  return {
      .resolution = resolution, .first_stopband = std::exp2(2.1), .last_stopband = std::exp2(0.3)};
}

std::vector<int> channels_of(const SynthesisShape& shape) {
  std::vector<int> channels;
  for (const Layer& layer : layers_of(shape)) channels.push_back(layer.out.channels);
  return channels;
}

// The published networks.
TEST(LayersOf, HaveThePublishedChannelsAndSizes) {
  EXPECT_EQ(channels_of(config_t(256)), (std::vector<int>{512, 512, 512, 512, 512, 512, 512, 512,
                                                          512, 362, 256, 181, 128, 128, 3}));
  std::vector<int> sizes;
  std::vector<int> rates;
  for (const Layer& layer : layers_of(config_t(512))) {
    sizes.push_back(layer.out.size.width);
    rates.push_back(layer.out.rate);
  }
  EXPECT_EQ(sizes, (std::vector<int>{36, 36, 52, 52, 84, 84, 148, 148, 276, 276, 532, 532, 532, 512,
                                     512}));
  EXPECT_EQ(rates, (std::vector<int>{16, 16, 32, 32, 64, 64, 128, 128, 256, 256, 512, 512, 512, 512,
                                     512}));
}

// Both axes are sampled alike.
TEST(LayersOf, HaveTheMarginOnBothAxesOfAnyAspectRatio) {
  const auto square = layers_of(config_t(256));
  const auto wide = layers_of(config_t({256, 1024}));
  ASSERT_EQ(wide.size(), square.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const Signal& out = wide[i].out;
    EXPECT_EQ(out.size.height, square[i].out.size.height);
    EXPECT_EQ(out.size.width - out.size.height, 3 * out.rate);
    EXPECT_EQ(out.rate, square[i].out.rate);
    EXPECT_EQ(out.channels, square[i].out.channels);
  }
}

// T: same size, doubling, the last critical layer; R's convolutions do not grow the image.
TEST(Layer, PadsAsPublished) {
  const auto padding_of = [](const SynthesisShape& shape, std::size_t number) {
    const Layer layer = layers_of(shape)[number];
    const Padding padding = layer.padding(layer.in.size.width, layer.out.size.width);
    return std::pair{padding.before, padding.after};
  };
  SynthesisShape config_r = config_t(256);
  config_r.kernel = 1;
  EXPECT_EQ(padding_of(config_t(256), 0), (std::pair{9, 8}));
  EXPECT_EQ(padding_of(config_t(256), 3), (std::pair{-6, -9}));
  EXPECT_EQ(padding_of(config_t(256), 13), (std::pair{-11, -12}));
  EXPECT_EQ(padding_of(config_r, 0), (std::pair{11, 10}));
  EXPECT_EQ(padding_of(config_r, 3), (std::pair{-2, -5}));
  EXPECT_EQ(padding_of(config_r, 13), (std::pair{-9, -10}));
  EXPECT_EQ(padding_of(config_t(256), 14), (std::pair{0, 0}));
}

TEST(Layer, IsRadialUnlessCriticallySampled) {
  SynthesisShape shape = config_t(256);
  shape.has_radial_filters = true;
  const auto layers = layers_of(shape);
  EXPECT_TRUE(layers[11].has_radial_down_filter());
  EXPECT_FALSE(layers[12].has_radial_down_filter());
}

TEST(Layer, ComputesInLowPrecisionAtTheHighestRates) {
  SynthesisShape shape = config_t(256);
  EXPECT_FALSE(layers_of(shape).back().has_low_precision);
  shape.low_precision_resolutions = 4;
  const auto layers = layers_of(shape);
  EXPECT_EQ(layers[2].out.rate, 16);
  EXPECT_FALSE(layers[2].has_low_precision);
  EXPECT_EQ(layers[3].out.rate, 32);
  EXPECT_TRUE(layers[3].has_low_precision);
}

}  // namespace
}  // namespace ganscale::models::stylegan3
