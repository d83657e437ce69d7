#include "models/biggan/recompute.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models::biggan {
namespace {

/// What a step of a generator computes in float64, with a new network.
struct Step {
  explicit Step(const std::string& name, bool recomputes) {
    const auto config =
        read_model("{name: " + name + ", generator_channels: 4, discriminator_channels: 4, " +
                       "recompute_blocks: " + (recomputes ? "true" : "false") + "}",
                   3);
    networks = build_networks(config, 1, nullptr);
    networks.generator->to(at::kDouble);
    networks.discriminator->to(at::kDouble);
    // Else attention would have no gradient but that.
    const at::NoGradGuard no_grad;
    for (const auto& [parameter, value] : named_parameters(*networks.discriminator)) {
      if (parameter.ends_with("gamma")) value.fill_(0.5);
    }
  }

  void run() {
    kernels::RandomStream random({}, Stream::kGeneratorNoise);
    const auto z = at::arange(3 * networks.generator->z_dim(), at::kDouble).sin().view({3, -1});
    const auto images = networks.generator->forward(z, at::arange(3), random);
    networks.discriminator->forward(images, at::arange(3), random).square().sum().backward();
  }

  Networks networks;
};

void expect_same(const torch::nn::Module& ours, const torch::nn::Module& theirs) {
  const auto expected = named_state(theirs);
  for (const auto& [name, tensor] : named_state(ours)) {
    EXPECT_TRUE(at::allclose(tensor, expected.at(name), 0, 1e-12)) << name;
    if (!tensor.is_leaf() || !tensor.requires_grad()) continue;
    EXPECT_TRUE(at::allclose(tensor.grad(), expected.at(name).grad(), 1e-9, 1e-12)) << name;
  }
}

class Recompute : public testing::TestWithParam<const char*> {};

// Singular vectors and running statistics, too: they move once a pass.
TEST_P(Recompute, GivesTheSameGradientsAndState) {
  Step kept(GetParam(), false);
  Step recomputed(GetParam(), true);
  for (int i = 0; i < 2; ++i) {
    kept.run();
    recomputed.run();
  }
  expect_same(*recomputed.networks.generator, *kept.networks.generator);
  expect_same(*recomputed.networks.discriminator, *kept.networks.discriminator);
}

INSTANTIATE_TEST_SUITE_P(Models, Recompute, testing::Values("biggan", "biggan_deep"));

TEST(Recomputed, RepeatsTheForwardPassInTheBackwardPass) {
  const auto none = std::make_shared<torch::nn::Module>("none");
  int runs = 0;
  const Pass pass = [&](const at::Tensor& x, const at::Tensor& /*condition*/) {
    ++runs;
    return x.exp().square();
  };
  const auto x = at::ones({2}, at::kDouble).requires_grad_();
  const auto y = recomputed(*none, pass, x);
  EXPECT_EQ(runs, 1);
  y.sum().backward();
  EXPECT_EQ(runs, 2);
  EXPECT_NEAR(x.grad()[0].item<double>(), 2 * std::exp(2.0), 1e-12);
}

}  // namespace
}  // namespace ganscale::models::biggan
