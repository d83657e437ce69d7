#include "models/layers/spectral_norm.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "models/layers/embedding.h"
#include "support/plain_numbers.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

SpectralNorm started(std::int64_t out_features) {
  SpectralNorm norm(out_features);
  norm.to(at::kDouble);
  norm.named_buffers()["u"].copy_(numbers({out_features}, 5));
  return norm;
}

TEST(SpectralNorm, DividesByTheLargestSingularValueAfterSomePasses) {
  auto norm = started(4);
  const auto weight = numbers({4, 3, 2, 2}, 1);
  at::Tensor normalized;
  for (int i = 0; i < 200; ++i) normalized = norm.forward(weight);
  const auto expected = weight / at::linalg_svdvals(weight.flatten(1)).max();
  EXPECT_TRUE(at::allclose(normalized, expected, 0, 1e-9));
}

TEST(SpectralNorm, KeepsItsVectorIfNothingIsTrained) {
  auto norm = started(3);
  norm.eval();
  const auto before = norm.named_buffers()["u"].clone();
  norm.forward(numbers({3, 5}, 1));
  EXPECT_TRUE(at::equal(norm.named_buffers()["u"], before));
}

// Two labels' vectors (3, 0) and (0, 1): the largest singular value is 3.
TEST(SpectralNorm, DividesTheVectorsOfAllLabelsInAnEmbedding) {
  const at::NoGradGuard no_grad;
  Embedding embedding(2, 2);
  embedding.normalize_spectrum();
  embedding.named_parameters()["weight"].copy_(at::tensor({3.0F, 0.0F, 0.0F, 1.0F}).view({2, 2}));
  embedding.named_buffers()["spectral_norm.u"].fill_(1);
  at::Tensor vectors;
  for (int i = 0; i < 50; ++i) vectors = embedding.forward(at::arange(2));
  EXPECT_TRUE(
      at::allclose(vectors, at::tensor({1.0F, 0.0F, 0.0F, 1.0F / 3}).view({2, 2}), 0, 1e-6));
}

// W / s with s = u^T W v has the gradient (G - <G, W> / s * u v^T) / s for the gradient G behind
// it.
TEST(SpectralNorm, HasTheGradientOfThePaper) {
  auto norm = started(3);
  const auto weight = numbers({3, 2}, 1).requires_grad_();
  for (int i = 0; i < 200; ++i) norm.forward(weight);
  const auto G = numbers({3, 2}, 2);
  const auto gradient = torch::autograd::grad({norm.forward(weight)}, {weight}, {G})[0];
  const auto [U, S, Vh] = at::linalg_svd(weight.detach(), false);
  const auto s = S[0];
  const auto direction = at::outer(U.select(1, 0), Vh[0]);
  const auto expected = (G - (G * weight.detach()).sum() / s * direction) / s;
  EXPECT_TRUE(at::allclose(gradient, expected, 0, 1e-9));
}

TEST(SpectralNorm, IsOfEveryLayerOfTheDiscriminatorThatAsksForIt) {
  for (const char* name : {"dcgan", "wgan", "wgan_resnet", "conditional_dcgan", "conditional_wgan",
                           "conditional_wgan_resnet"}) {
    ModelConfig config = read_model(std::string("{name: ") + name + ", spectral_norm: true}");
    config.label_count = takes_labels(config) ? 3 : 0;
    const auto networks = build_networks(config, 1, nullptr);
    for (const auto& [parameter, value] : named_parameters(*networks.discriminator)) {
      if (value.dim() < 2) continue;
      const auto layer = parameter.substr(0, parameter.rfind('.'));
      const auto vectors = named_buffers(*networks.discriminator);
      const auto u = vectors.find(layer + ".spectral_norm.u");
      ASSERT_NE(u, vectors.end()) << name << ": " << parameter;
      EXPECT_GT(u->second.norm().item<double>(), 0);
    }
  }
}

}  // namespace
}  // namespace ganscale::models
