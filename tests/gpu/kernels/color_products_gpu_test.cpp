// The kernels of products between features and colors against their references.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "kernels/color_products/color_products.h"

namespace ganscale::kernels {
namespace {

using Tensors = std::vector<at::Tensor>;

/// Images, features, height and width: sizes that fill neither vectors nor blocks, such that do,
/// and several parts of the pixels.
const std::vector<std::vector<std::int64_t>> kSizes = {
    {1, 1, 1, 2}, {4, 3, 5, 7}, {2, 33, 17, 19}, {3, 72, 64, 64}, {2, 512, 8, 8}, {2, 128, 48, 48}};

class ColorProductsOnGpu : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "there is no CUDA device";
    at::manual_seed(1);
  }

  /// Of the largest number, for sums over many pixels.
  static double tolerance() {
    switch (GetParam()) {
      case at::kDouble: return 1e-12;
      case at::kFloat: return 2e-5;
      case at::kHalf: return 4e-3;
      default: return 3e-2;
    }
  }

  /// Features, colors and weights, three times: operands, gradients of the products, and tangents
  /// of the operands' gradients.
  static Tensors numbers(const std::vector<std::int64_t>& size, std::int64_t colors,
                         std::int64_t weight_count) {
    const auto some = [](at::IntArrayRef shape) {
      return at::randn(shape, at::kDouble).to(GetParam());
    };
    Tensors all;
    for (int i = 0; i < 3; ++i) {
      all.push_back(some({size[0], size[1], size[2], size[3]}));
      all.push_back(some({size[0], colors, size[2], size[3]}));
      all.push_back(some({weight_count, colors, size[1]}));
    }
    return all;
  }

  /// The three products, the gradients of their operands, and the gradients of these by operands
  /// and gradients.
  static Tensors computed(const Tensors& numbers, at::Device device, at::ScalarType dtype) {
    Tensors in;
    for (const auto& tensor : numbers) in.push_back(tensor.to(device, dtype));
    const Tensors operands(in.begin(), in.begin() + 3);
    const Tensors places(in.begin(), in.begin() + 6);
    const Tensors gradients(in.begin() + 3, in.begin() + 6);
    const Tensors tangents(in.begin() + 6, in.end());
    for (const auto& place : places) place.requires_grad_();
    const Tensors products = {features_of_colors(in[1], in[2]), colors_of_features(in[0], in[2]),
                              weights_of_products(in[0], in[1], in[2].size(0))};
    const Tensors first =
        torch::autograd::grad(products, operands, gradients, true, /*create_graph=*/true);
    const Tensors second = torch::autograd::grad(first, places, tangents);
    Tensors all = products;
    all.insert(all.end(), first.begin(), first.end());
    all.insert(all.end(), second.begin(), second.end());
    return all;
  }

  static void expect_close(const Tensors& kernel, const Tensors& reference,
                           const std::string& what) {
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      const auto expected = reference[i].detach();
      const double largest = expected.abs().max().item<double>();
      const auto difference = kernel[i].detach().cpu().to(at::kDouble) - expected;
      EXPECT_LE(difference.abs().max().item<double>(), tolerance() * (largest + 1e-3))
          << "tensor " << i << " of " << what;
    }
  }
};

TEST_P(ColorProductsOnGpu, HaveTheValuesAndTwoDerivativesOfTheReference) {
  for (const auto& size : kSizes) {
    for (const std::int64_t colors : {1, 3, 4}) {
      for (const std::int64_t weight_count : {std::int64_t{1}, size[0]}) {
        const Tensors given = numbers(size, colors, weight_count);
        expect_close(
            computed(given, at::kCUDA, GetParam()), computed(given, at::kCPU, at::kDouble),
            c10::str(at::IntArrayRef(size), ", ", colors, " colors, ", weight_count, " weights"));
      }
    }
  }
}

TEST_P(ColorProductsOnGpu, AreTheSameInEveryRun) {
  const Tensors given = numbers(kSizes.back(), 3, 2);
  const Tensors first = computed(given, at::kCUDA, GetParam());
  const Tensors second = computed(given, at::kCUDA, GetParam());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(first[i].equal(second[i])) << "tensor " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ColorProductsOnGpu,
                         testing::Values(at::kFloat, at::kDouble, at::kHalf, at::kBFloat16));

}  // namespace
}  // namespace ganscale::kernels
