#include "metrics/networks/feature_net.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <limits>

#include "checkpoint/safetensors.h"
#include "files/durable_file.h"
#include "metrics/networks/resize.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::metrics {
namespace {

class FeatureNetFile : public testing::Test {
 protected:
  /// Writes a TorchScript module with this forward method; returns its file.
  std::filesystem::path script(const std::string& forward) {
    torch::jit::Module module("net");
    module.define(forward);
    const auto file = folder_ / "net.pt";
    module.save(file.string());
    return file;
  }

  static OpenFeatureNet open(const FeatureNetConfig& config) {
    return open_feature_net(config, {.channels = 1, .resolution = 2}, at::kCPU);
  }

  const TemporaryFolder folder_;
  const at::Tensor images_ = at::tensor({0, 51, 102, 255}, at::kByte).view({1, 1, 2, 2});
};

TEST_F(FeatureNetFile, OfAPlainModuleGivesFeatures) {
  const auto opened = open({.file = script("def forward(self, x):\n  return x.flatten(1)\n")});
  EXPECT_EQ(opened.feature_count, 4);
  EXPECT_EQ(opened.class_count, 0);
  const auto features = opened.net->extract(images_);
  EXPECT_TRUE(at::equal(features.features, at::tensor({0.0F, 51.0F, 102.0F, 255.0F}).view({1, 4})));
  EXPECT_FALSE(features.logits.defined());
}

TEST_F(FeatureNetFile, OfAPlainModuleMayGiveLogitsAndTakeScaledImages) {
  const auto opened =
      open({.file = script("def forward(self, x):\n  y = x.flatten(1)\n  return y, y[:, :2] * 2\n"),
            .resolution = 1,
            .signed_range = true});
  EXPECT_EQ(opened.class_count, 1);
  const auto features = opened.net->extract(images_);
  EXPECT_FLOAT_EQ(features.features.item<float>(), -1);
  EXPECT_FLOAT_EQ(features.logits.item<float>(), -2);
}

// The interface of inception-2015-12-05.pt: features on request, else probabilities, RGB in.
TEST_F(FeatureNetFile, OfNvidiaTakesRgbAndGivesLogarithmsOfProbabilities) {
  const auto opened = open(
      {.file = script("def forward(self, img, return_features: bool=False, use_fp16: bool=False, "
                      "no_output_bias: bool=False):\n"
                      "  if return_features:\n"
                      "    return img.float().flatten(1)\n"
                      "  if no_output_bias:\n"
                      "    return torch.softmax(img[:, :, 0, 0].float(), 1)\n"
                      "  return img[:, 0, 0].float()\n")});
  EXPECT_EQ(opened.feature_count, 3 * 4);
  EXPECT_EQ(opened.class_count, 3);
  const auto features = opened.net->extract(images_);
  EXPECT_FLOAT_EQ(features.features[0][11].item<float>(), 255);
  EXPECT_NEAR(features.logits[0][0].item<float>(), std::log(1.0 / 3), 1e-6);
  EXPECT_FALSE(opened.net->extract(images_, {.logits = false}).logits.defined());
  EXPECT_FALSE(opened.net->extract(images_, {.features = false}).features.defined());
}

TEST_F(FeatureNetFile, ThatIsMissingNamesASource) {
  expect_error(ExitCode::kConfig, "scripts/convert-inception.py: /nowhere/net.pt",
               [] { open({.file = "/nowhere/net.pt"}); });
  expect_error(ExitCode::kConfig, "evaluate.feature_net is not set", [] { open({}); });
}

TEST_F(FeatureNetFile, MustHaveTheSha256) {
  const auto file = script("def forward(self, x):\n  return x.flatten(1)\n");
  const auto sha256 = files::digest_file(file).sha256;
  EXPECT_EQ(open({.file = file, .sha256 = sha256}).sha256, sha256);
  expect_error(ExitCode::kConfig, "SHA-256 " + sha256 + ", expected 00ff",
               [&] { open({.file = file, .sha256 = "00ff"}); });
}

TEST_F(FeatureNetFile, WithTheWrongOutputIsRefused) {
  const auto refused = [&](const std::string& body, const std::string& why) {
    const auto file = script("def forward(self, x):\n  " + body + "\n");
    expect_error(ExitCode::kConfig, why, [&] { open({.file = file}); });
  };
  refused("return x", "expected [2, D] for two images, got [2, 1, 2, 2]");
  refused("return x.flatten(1)[:1]", "got [1, 4]");
  refused("return x.flatten(1) / 0", "got NaN or infinity");
  refused("return [x, x, x]", "the pair (features, logits)");
}

TEST_F(FeatureNetFile, ThatTakesOtherImagesIsRefusedWithTheLastLineOfTheReason) {
  const auto file = script("def forward(self, x):\n  return x.view([-1, 3]).mm(x.view([2, 2]))\n");
  expect_error(ExitCode::kConfig,
               "does not accept the images of this run, [2, 1, 2, 2]: " + file.string() +
                   ": the network does not take",
               [&] { open({.file = file}); });
  expect_error(ExitCode::kConfig, "shape '[-1, 3]' is invalid", [&] { open({.file = file}); });
}

/// Gives whether convolutions and products may be in TF32.
class PrecisionNet : public FeatureNet {
  Features compute(const at::Tensor& /*images*/, WantedOutputs /*wanted*/) override {
    const auto& context = at::globalContext();
    return {at::tensor({context.allowTF32CuDNN() ? 1 : 0, context.allowTF32CuBLAS() ? 1 : 0}), {}};
  }
};

TEST(FeatureNet, ComputesWithoutTf32AndLeavesItToOthers) {
  auto& context = at::globalContext();
  context.setAllowTF32CuDNN(true);
  context.setAllowTF32CuBLAS(true);
  const auto allowed = PrecisionNet().extract({}).features;
  EXPECT_TRUE(allowed.equal(at::zeros_like(allowed)));
  EXPECT_TRUE(context.allowTF32CuDNN() && context.allowTF32CuBLAS());
  context.setAllowTF32CuBLAS(false);
}

TEST(FirstNonfiniteRow, LooksAtFeaturesAndLogits) {
  const auto fine = at::ones({3, 2});
  auto infinite = at::ones({3, 2});
  infinite[2][1] = std::numeric_limits<float>::infinity();
  auto nan = at::ones({3, 4});
  nan[1][3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(first_nonfinite_row({fine, {}}), std::nullopt);
  EXPECT_EQ(first_nonfinite_row({infinite, {}}), 2);
  EXPECT_EQ(first_nonfinite_row({infinite, nan}), 1);
  EXPECT_EQ(first_nonfinite_row({{}, nan}), 1);
}

TEST_F(FeatureNetFile, ThatIsNotAModuleIsRefused) {
  const auto file = folder_ / "net.pth";
  files::DurableFile(file).finish();
  expect_error(ExitCode::kConfig, "neither a TorchScript module", [&] { open({.file = file}); });
}

TEST_F(FeatureNetFile, WithWeightsOfAnotherNetworkIsNamed) {
  const auto file = folder_ / "generator.safetensors";
  checkpoint::write_safetensors(file, {{"l1.0.weight", at::ones({2})}});
  expect_error(ExitCode::kConfig,
               file.string() + ": the weights of InceptionV3 lack a tensor: fc.weight",
               [&] { open({.file = file}); });
}

// TensorFlow 1 puts output pixel i at i / 2: a, between a and b, b, and b again at the edge.
TEST(ResizeAsTensorflow1, PutsTheFirstPixelsUponEachOther) {
  const auto row = at::tensor({1.0F, 3.0F}).view({1, 1, 1, 2}).expand({1, 1, 2, 2});
  const auto larger = resize_as_tensorflow_1(row, 4);
  EXPECT_TRUE(at::equal(larger[0][0][3], at::tensor({1.0F, 2.0F, 3.0F, 3.0F})));
}

// At 2/3 of the way: places 0, 1.5 of 0 1 2.
TEST(ResizeAsTensorflow1, DoesNotAverageWhenItShrinks) {
  const auto image = at::tensor({0.0F, 1.0F, 10.0F}).expand({1, 1, 3, 3});
  EXPECT_TRUE(at::equal(resize_as_tensorflow_1(image, 2)[0][0][0], at::tensor({0.0F, 5.5F})));
}

}  // namespace
}  // namespace ganscale::metrics
