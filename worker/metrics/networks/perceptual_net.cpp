#include "metrics/networks/perceptual_net.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "device/exact_float32.h"
#include "metrics/networks/network_file.h"
#include "metrics/networks/torchscript_module.h"

namespace ganscale::metrics {
namespace {

constexpr const char* kPerceptualNetKey = "evaluate.perceptual_net (--perceptual-net)";
constexpr const char* kReturnLpips = "return_lpips";

class TorchscriptPerceptualNet : public PerceptualNet {
 public:
  explicit TorchscriptPerceptualNet(torch::jit::Module module) : module_(std::move(module)) {
    if (!has_argument(module_, kReturnLpips)) return;
    options_ = {{kReturnLpips, true}, {"resize_images", false}};
  }

 private:
  at::Tensor compute(const at::Tensor& images) override {
    const auto output = call(module_, images, options_);
    if (!output.isTensor()) {
      throw DataError("the network must return an embedding: " + output.tagKind());
    }
    return output.toTensor().to(at::kFloat);
  }

  torch::jit::Module module_;
  std::unordered_map<std::string, at::IValue> options_;
};

/// Throws ConfigError unless the network embeds images of this shape.
void try_net(PerceptualNet& net, const std::filesystem::path& file, ImageShape image,
             at::Device device) {
  const at::NoGradGuard no_grad;
  const auto [height, width] = image.resolution;
  const auto images = at::zeros({2, image.channels, height, width}, device);
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(std::string(kPerceptualNetKey) +
                      " does not embed the images of this run: " + file.string() + ": " + why);
  };
  try {
    const auto output = net.embed(images);
    std::ostringstream sizes;
    sizes << output.sizes();
    if (output.dim() != 2 || output.size(0) != 2 || output.size(1) < 1) {
      refuse("expected [2, D] for two images, got " + sizes.str());
    }
    if (!at::isfinite(output).all().item<bool>()) refuse("got NaN or infinity");
  } catch (const DataError& error) {
    refuse(error.what());
  }
}

}  // namespace

at::Tensor PerceptualNet::embed(const at::Tensor& images) {
  constexpr std::int64_t kResolution = 256;
  const device::ExactFloat32 exact;
  const auto factor = std::min(images.size(2), images.size(3)) / kResolution;
  const auto reduced = factor > 1 ? at::avg_pool2d(images, {factor, factor}) : images;
  return compute(((reduced.to(at::kFloat) + 1) * 127.5).expand({-1, 3, -1, -1}));
}

at::Tensor perceptual_distances(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).square().sum(1);
}

OpenPerceptualNet open_perceptual_net(const PerceptualNetConfig& config, ImageShape image,
                                      at::Device device) {
  OpenPerceptualNet result;
  result.sha256 = digest_of(
      {kPerceptualNetKey,
       "get NVIDIA's "
       "https://nvlabs-fi-cdn.nvidia.com/stylegan2-ada-pytorch/pretrained/metrics/vgg16.pt",
       config.file, config.sha256});
  result.net = std::make_unique<TorchscriptPerceptualNet>(load_torchscript(
      config.file, device, std::string(kPerceptualNetKey) + " is not a TorchScript module"));
  try_net(*result.net, config.file, image, device);
  return result;
}

}  // namespace ganscale::metrics
