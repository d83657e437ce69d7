#include "models/stylegan3/generator.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "models/build_model.h"
#include "models/contract/image_motion.h"
#include "models/stylegan/discriminator.h"
#include "models/stylegan3/blueprint.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models::stylegan3 {
namespace {

constexpr const char* kTiny =
    "{name: stylegan3, resolution: 16, z_dim: 6, w_dim: 6, channel_base: 64, channel_max: 8, "
    "layers: 4, first_stopband: 4, margin: 4, mbstd_group: 2}";

double millions_of_parameters(const torch::nn::Module& network) {
  double count = 0;
  for (const auto& parameter : network.parameters())
    count += static_cast<double>(parameter.numel());
  return count / 1e6;
}

struct Tiny {
  explicit Tiny(int label_count = 0) : config(read_model(kTiny, label_count)) {
    config.conditional = label_count > 0;
    networks = build_networks(config, 5, nullptr);
    generator = dynamic_cast<StyleganGenerator*>(networks.generator.get());
  }
  at::Tensor z() const {
    return kernels::random_normal({1, 0, 1}, Stream::kSamples, 0, {4, 6}, at::kFloat);
  }

  ModelConfig config;
  Networks networks;
  StyleganGenerator* generator = nullptr;
  kernels::RandomStream random{{1, 0, 1}, Stream::kGeneratorNoise};
};

// The counts of the public networks at 256 x 256.
TEST(Stylegan3, HasAsManyParametersAsTheReference) {
  const auto networks_of = [](const std::string& keys) {
    return build_networks(read_model("{name: stylegan3, resolution: 256" + keys + "}"), 1, nullptr);
  };
  const Networks t = networks_of("");
  EXPECT_NEAR(millions_of_parameters(*t.generator), 28.47, 0.005);
  EXPECT_NEAR(millions_of_parameters(*t.discriminator), 28.86, 0.005);
  const Networks r = networks_of(
      ", kernel: 1, radial_filters: true, generator_channel_base: 65536, generator_channel_max: "
      "1024");
  EXPECT_NEAR(millions_of_parameters(*r.generator), 18.82, 0.005);
}

TEST(Stylegan3, MakesAndScoresImages) {
  const at::NoGradGuard no_grad;
  for (const int label_count : {0, 3}) {
    Tiny tiny(label_count);
    const auto labels = label_count > 0 ? at::tensor({0, 1, 2, 1}, at::kLong) : at::Tensor();
    const auto images = tiny.generator->forward(tiny.z(), labels, tiny.random);
    EXPECT_EQ(images.sizes(), at::IntArrayRef({4, 3, 16, 16}));
    EXPECT_TRUE(images.isfinite().all().item<bool>());
    const auto logits = tiny.networks.discriminator->forward(images, labels, tiny.random);
    EXPECT_EQ(logits.sizes(), at::IntArrayRef({4}));
  }
}

TEST(Stylegan3, MovesItsStatisticsOnlyByWhatItMakesForTheDiscriminator) {
  const at::NoGradGuard no_grad;
  Tiny tiny;
  const auto statistics = [&] {
    NamedTensors values;
    for (const auto& [name, tensor] : named_buffers(*tiny.generator)) {
      if (name.ends_with("w_avg") || name.ends_with("magnitude_ema")) values[name] = tensor.clone();
    }
    return values;
  };
  const NamedTensors before = statistics();
  EXPECT_EQ(before.size(), 6);
  tiny.generator->forward(tiny.z(), {}, tiny.random);
  for (const auto& [name, value] : statistics()) EXPECT_TRUE(value.equal(before.at(name))) << name;
  tiny.generator->make_fakes(tiny.z(), {}, tiny.random);
  for (const auto& [name, value] : statistics()) EXPECT_FALSE(value.equal(before.at(name))) << name;
}

TEST(Stylegan3, TruncatesTheFirstLayers) {
  const at::NoGradGuard no_grad;
  Tiny tiny;
  const at::Tensor all = tiny.generator->map(tiny.z(), {}, {});
  EXPECT_EQ(all.sizes(), at::IntArrayRef({4, 6, 6}));
  const at::Tensor some = tiny.generator->map(tiny.z(), {}, {.psi = 0.5, .cutoff = 2});
  EXPECT_TRUE(some.slice(1, 2).equal(all.slice(1, 2)));
  EXPECT_TRUE(at::allclose(some.slice(1, 0, 2), all.slice(1, 0, 2) * 0.5));  // the mean is 0
}

TEST(Stylegan3, ComputesTheSameByPlainOperators) {
  const at::NoGradGuard no_grad;
  for (const int label_count : {0, 3}) {
    Tiny tiny(label_count);
    tiny.networks.generator->eval();
    const auto labels = label_count > 0 ? at::tensor({0, 1, 2, 1}, at::kLong) : at::Tensor();
    const auto images = tiny.generator->forward(tiny.z(), labels, tiny.random);
    EXPECT_TRUE(at::allclose(tiny.generator->traceable_forward(tiny.z(), labels), images, 1e-4,
                             1e-5 * images.abs().max().item<double>()));
  }
}

TEST(Stylegan3, HasATransformOfItsImages) {
  const at::NoGradGuard no_grad;
  Tiny tiny;
  const at::Tensor still = tiny.generator->forward(tiny.z(), {}, tiny.random);
  tiny.generator->input_transform().copy_(transform_of({.degrees = 30, .right = 0.1}));
  EXPECT_FALSE(at::allclose(tiny.generator->forward(tiny.z(), {}, tiny.random), still));
}

TEST(Stylegan3, ComputesItsHighestLayersInLowPrecision) {
  const at::NoGradGuard no_grad;
  ModelConfig config = parse_model(config::Section(config::parse_yaml(kTiny, "run.yaml")),
                                   model_table(), at::kBFloat16);
  const Networks low = build_networks(config, 5, nullptr);
  config.compute_in_float32();
  const Networks exact = build_networks(config, 5, nullptr);
  Tiny tiny;
  const auto images = low.generator->forward(tiny.z(), {}, tiny.random);
  const auto expected = exact.generator->forward(tiny.z(), {}, tiny.random);
  EXPECT_EQ(images.scalar_type(), at::kFloat);
  EXPECT_FALSE(images.equal(expected));
  EXPECT_TRUE(at::allclose(images, expected, 0, 0.1 * expected.abs().max().item<double>()));
}

}  // namespace
}  // namespace ganscale::models::stylegan3
