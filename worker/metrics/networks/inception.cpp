#include "metrics/networks/inception.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/max_pool2d.h>

#include "base/error.h"
#include "metrics/networks/resize.h"

namespace ganscale::metrics {
namespace {

constexpr double kEpsilon = 1e-3;
constexpr std::int64_t kResolution = 299;

const at::Tensor& weight_of(const NamedTensors& weights, const std::string& name) {
  const auto found = weights.find(name);
  if (found == weights.end()) throw DataError("the weights of InceptionV3 lack a tensor: " + name);
  return found->second;
}

/// Folds a batch norm in eval mode, a scale and a shift, into the convolution before it.
void add_folded(NamedTensors& layers, const NamedTensors& weights, const std::string& name) {
  const auto norm = [&](const char* part) {
    return weight_of(weights, name + ".bn." + part).to(at::kDouble);
  };
  const auto scale = norm("weight").mul(norm("running_var").add(kEpsilon).rsqrt());
  const auto bias = norm("bias").sub(norm("running_mean").mul(scale));
  const auto kernel = weight_of(weights, name + ".conv.weight").to(at::kDouble);
  layers.emplace(name + ".weight", kernel.mul(scale.view({-1, 1, 1, 1})).to(at::kFloat));
  layers.emplace(name + ".bias", bias.to(at::kFloat));
}

/// The blocks of the network; each corresponds to one in torchvision's inception.py.
class Blocks {
 public:
  explicit Blocks(const NamedTensors& layers) : layers_(layers) {}

  /// A convolution and a ReLU. padding: "same" for stride 1; 0 if the image shrinks.
  at::Tensor convolve(const at::Tensor& x, const std::string& name, bool same = true,
                      std::int64_t stride = 1) const {
    const auto& weight = weight_of(layers_, name + ".weight");
    if (weight.dim() != 4 || weight.size(1) != x.size(1)) {
      throw DataError("a weight of InceptionV3 has the wrong shape: " + name + ": " +
                      std::to_string(weight.size(1)) + " input channels, expected " +
                      std::to_string(x.size(1)));
    }
    const std::int64_t rows = same ? weight.size(2) / 2 : 0;
    const std::int64_t columns = same ? weight.size(3) / 2 : 0;
    return at::conv2d(x, weight, weight_of(layers_, name + ".bias"), {stride, stride},
                      {rows, columns})
        .relu_();
  }

  /// A sequence of convolutions: NAME_1, NAME_2, ...
  at::Tensor chain(at::Tensor x, const std::string& name, int count) const {
    for (int i = 1; i <= count; ++i) x = convolve(x, name + "_" + std::to_string(i));
    return x;
  }

  at::Tensor pooled(const at::Tensor& x, const std::string& block) const {
    const auto mean = at::avg_pool2d(x, {3, 3}, {1, 1}, {1, 1}, /*ceil_mode=*/false,
                                     /*count_include_pad=*/false);
    return convolve(mean, block + ".branch_pool");
  }

  at::Tensor a(const at::Tensor& x, const std::string& block) const {
    return at::cat({convolve(x, block + ".branch1x1"), chain(x, block + ".branch5x5", 2),
                    chain(x, block + ".branch3x3dbl", 3), pooled(x, block)},
                   1);
  }

  at::Tensor b(const at::Tensor& x, const std::string& block) const {
    const auto small = convolve(x, block + ".branch3x3", /*same=*/false, 2);
    const auto twice = convolve(chain(x, block + ".branch3x3dbl", 2), block + ".branch3x3dbl_3",
                                /*same=*/false, 2);
    return at::cat({small, twice, at::max_pool2d(x, {3, 3}, {2, 2})}, 1);
  }

  at::Tensor c(const at::Tensor& x, const std::string& block) const {
    return at::cat({convolve(x, block + ".branch1x1"), chain(x, block + ".branch7x7", 3),
                    chain(x, block + ".branch7x7dbl", 5), pooled(x, block)},
                   1);
  }

  at::Tensor d(const at::Tensor& x, const std::string& block) const {
    const auto small = convolve(chain(x, block + ".branch3x3", 1), block + ".branch3x3_2",
                                /*same=*/false, 2);
    const auto large = convolve(chain(x, block + ".branch7x7x3", 3), block + ".branch7x7x3_4",
                                /*same=*/false, 2);
    return at::cat({small, large, at::max_pool2d(x, {3, 3}, {2, 2})}, 1);
  }

  /// maximum: the last block of the FID variant uses max pooling.
  at::Tensor e(const at::Tensor& x, const std::string& block, bool maximum) const {
    const auto fork = [&](const at::Tensor& y, const std::string& name) {
      return at::cat({convolve(y, name + "a"), convolve(y, name + "b")}, 1);
    };
    const auto single = fork(chain(x, block + ".branch3x3", 1), block + ".branch3x3_2");
    const auto twice = fork(chain(x, block + ".branch3x3dbl", 2), block + ".branch3x3dbl_3");
    const auto pool =
        maximum ? convolve(at::max_pool2d(x, {3, 3}, {1, 1}, {1, 1}), block + ".branch_pool")
                : pooled(x, block);
    return at::cat({convolve(x, block + ".branch1x1"), single, twice, pool}, 1);
  }

 private:
  const NamedTensors& layers_;
};

}  // namespace

Inception::Inception(const NamedTensors& weights, at::Device device)
    : classes_(weight_of(weights, "fc.weight").to(device, at::kFloat)), device_(device) {
  const std::string suffix = ".conv.weight";
  for (const auto& [name, tensor] : weights) {
    if (!name.ends_with(suffix) || name.starts_with("AuxLogits.")) continue;
    add_folded(layers_, weights, name.substr(0, name.size() - suffix.size()));
  }
  for (auto& [name, tensor] : layers_) tensor = tensor.to(device);
}

Features Inception::compute(const at::Tensor& images, WantedOutputs /*wanted*/) {
  const auto rgb = images.to(device_).expand({-1, 3, -1, -1}).to(at::kFloat);
  return forward(resize_as_tensorflow_1(rgb, kResolution).sub(128).div(128));
}

Features Inception::forward(const at::Tensor& images) const {
  const at::NoGradGuard no_grad;
  const Blocks blocks(layers_);
  auto x = images.contiguous(at::MemoryFormat::ChannelsLast);
  x = blocks.convolve(x, "Conv2d_1a_3x3", /*same=*/false, 2);
  x = blocks.convolve(x, "Conv2d_2a_3x3", /*same=*/false);
  x = blocks.convolve(x, "Conv2d_2b_3x3");
  x = at::max_pool2d(x, {3, 3}, {2, 2});
  x = blocks.convolve(x, "Conv2d_3b_1x1");
  x = blocks.convolve(x, "Conv2d_4a_3x3", /*same=*/false);
  x = at::max_pool2d(x, {3, 3}, {2, 2});
  for (const char* block : {"Mixed_5b", "Mixed_5c", "Mixed_5d"}) x = blocks.a(x, block);
  x = blocks.b(x, "Mixed_6a");
  for (const char* block : {"Mixed_6b", "Mixed_6c", "Mixed_6d", "Mixed_6e"}) {
    x = blocks.c(x, block);
  }
  x = blocks.d(x, "Mixed_7a");
  x = blocks.e(x, "Mixed_7b", /*maximum=*/false);
  x = blocks.e(x, "Mixed_7c", /*maximum=*/true);
  const auto features = x.mean({2, 3});
  return {features, features.mm(classes_.t())};
}

}  // namespace ganscale::metrics
