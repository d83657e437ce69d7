#include "metrics/networks/perceptual_net.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include "files/durable_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::metrics {
namespace {

class PerceptualNetFile : public testing::Test {
 protected:
  std::unique_ptr<PerceptualNet> open(const std::string& forward, ImageShape image = {1, 2}) {
    torch::jit::Module module("net");
    module.register_parameter("scale", at::full({1}, 2.0).requires_grad_(), /*is_buffer=*/false);
    module.define(forward);
    module.save(file_.string());
    return open_perceptual_net({.file = file_}, image, at::kCPU).net;
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "net.pt";
};

// Gray -1 and 1 are 0 and 255 in three colors.
TEST_F(PerceptualNetFile, TakesRgbInBytesAndIsDifferentiable) {
  const auto net = open("def forward(self, x):\n  return x.flatten(1) * self.scale\n");
  const auto images = at::tensor({-1.0F, 1.0F, 0.0F, 0.0F}).view({1, 1, 2, 2}).requires_grad_();
  const auto embedding = net->embed(images);
  ASSERT_EQ(embedding.sizes(), (at::IntArrayRef{1, 12}));
  EXPECT_FLOAT_EQ(embedding[0][0].item<float>(), 0);
  EXPECT_FLOAT_EQ(embedding[0][9].item<float>(), 510);
  embedding.sum().backward();
  EXPECT_FLOAT_EQ(images.grad()[0][0][0][0].item<float>(), 3 * 2 * 127.5F);
}

TEST_F(PerceptualNetFile, AveragesLargeImages) {
  const auto net = open("def forward(self, x):\n  return x.flatten(1)\n", {3, 512});
  const auto images = at::tensor({-1.0F, 1.0F}).repeat({1, 3, 512, 256});
  const auto embedding = net->embed(images);
  ASSERT_EQ(embedding.size(1), 3 * 256 * 256);
  EXPECT_TRUE(at::allclose(embedding, at::full_like(embedding, 127.5)));
}

// The interface of vgg16.pt.
TEST_F(PerceptualNetFile, OfNvidiaIsAskedForItsEmbedding) {
  const auto net = open(
      "def forward(self, img, resize_images: bool=True, return_features: bool=False, "
      "return_lpips: bool=False):\n"
      "  if return_lpips and not resize_images:\n"
      "    return img.flatten(1)[:, :2]\n"
      "  return img\n");
  EXPECT_EQ(net->embed(at::zeros({3, 1, 2, 2})).sizes(), (at::IntArrayRef{3, 2}));
}

TEST_F(PerceptualNetFile, NamesASourceAndTheMistake) {
  expect_error(ExitCode::kConfig,
               "evaluate.perceptual_net (--perceptual-net) is not set; get NVIDIA's https://",
               [] { open_perceptual_net({}, {}, at::kCPU); });
  files::DurableFile(folder_ / "empty.pt").finish();
  expect_error(ExitCode::kConfig, "(--perceptual-net) is not a TorchScript module",
               [&] { open_perceptual_net({.file = folder_ / "empty.pt"}, {}, at::kCPU); });
  const auto refused = [&](const std::string& body, const std::string& why) {
    expect_error(ExitCode::kConfig, why,
                 [&] { open("def forward(self, x):\n  return " + body + "\n"); });
  };
  refused("x", "expected [2, D] for two images, got [2, 3, 2, 2]");
  refused("x.flatten(1) / 0", "got NaN or infinity");
  refused("x.flatten(1), x", "the network must return an embedding");
  refused("x.view([7])", "does not embed the images of this run: " + file_.string());
  expect_error(ExitCode::kConfig, "is not the expected file: ", [&] {
    open_perceptual_net({.file = file_, .sha256 = "00ff"}, {}, at::kCPU);
  });
}

TEST(PerceptualDistances, AreSquaredPerImage) {
  const auto a = at::tensor({0.0F, 0.0F, 1.0F, 1.0F}).view({2, 2});
  const auto b = at::tensor({3.0F, 4.0F, 1.0F, 3.0F}).view({2, 2});
  EXPECT_TRUE(at::equal(perceptual_distances(a, b), at::tensor({25.0F, 4.0F})));
}

}  // namespace
}  // namespace ganscale::metrics
