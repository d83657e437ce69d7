#include <ATen/Parallel.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "base/stopwatch.h"
#include "kernels/convolution/convolution.h"
#include "kernels/convolution/scaled_convolution.h"

// Convolutions of 16 images and their gradients, channels last: LibTorch's (oneDNN's) and ours, in
// turn, in one run.
namespace {

using namespace ganscale;

constexpr std::int64_t kImages = 16;
constexpr int kRounds = 15;

struct Layer {
  const char* what;
  std::int64_t size;      ///< height and width of x
  std::int64_t channels;  ///< input and output
  std::int64_t groups = 1;
};

using Convolve = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& weight)>;

/// What the two sides convolve, and how. The weights may differ.
struct Side {
  Convolve convolve;
  at::Tensor weight;
};

double milliseconds(const std::function<void()>& of) {
  const Stopwatch stopwatch;
  of();
  return 1e3 * stopwatch.seconds();
}

double median(std::vector<double> of) {
  std::ranges::sort(of);
  return of[of.size() / 2];
}

/// The times of a convolution, and of its backward pass for one of x and the weight.
struct Times {
  std::vector<double> convolution;
  std::vector<double> input_gradient;
  std::vector<double> weight_gradient;
};

void measure(const Side& side, const at::Tensor& x, Times& times) {
  const auto weight = side.weight.detach();
  at::Tensor y;
  times.convolution.push_back(milliseconds([&] { y = side.convolve(x, weight); }));
  const auto gradient = at::randn_like(y);
  const auto backward = [&](const at::Tensor& of, const at::Tensor& result) {
    return milliseconds([&] { torch::autograd::grad({result}, {of}, {gradient}); });
  };
  const auto wanted = x.detach().requires_grad_();
  times.input_gradient.push_back(backward(wanted, side.convolve(wanted, weight)));
  const auto trained = weight.detach().requires_grad_();
  times.weight_gradient.push_back(backward(trained, side.convolve(x, trained)));
}

void print(const char* what, const std::vector<double>& libtorch, const std::vector<double>& ours) {
  std::printf("  %-15s LibTorch %6.2f ms, ours %6.2f ms: %.2f times as fast\n", what,
              median(libtorch), median(ours), median(libtorch) / median(ours));
}

void compare(const Layer& layer, const Side& libtorch, const Side& ours) {
  std::printf("%s: %ldx%ld, %ld channels in groups of %ld\n", layer.what,
              static_cast<long>(layer.size), static_cast<long>(layer.size),
              static_cast<long>(layer.channels), static_cast<long>(layer.channels / layer.groups));
  const auto x = at::randn({kImages, layer.channels, layer.size, layer.size})
                     .contiguous(at::MemoryFormat::ChannelsLast);
  Times theirs;
  Times times;
  for (int round = 0; round < kRounds; ++round) {
    // Whoever is second finds the memory that the first one has left: each comes first at times.
    if (round % 2 == 0) measure(libtorch, x, theirs);
    measure(ours, x, times);
    if (round % 2 != 0) measure(libtorch, x, theirs);
  }
  print("convolution", theirs.convolution, times.convolution);
  print("input gradient", theirs.input_gradient, times.input_gradient);
  print("weight gradient", theirs.weight_gradient, times.weight_gradient);
}

/// A convolution with 3x3 kernels that keeps the size.
void compare_plain(const Layer& layer) {
  const auto weight = at::randn({layer.channels, layer.channels / layer.groups, 3, 3});
  const Convolve libtorch = [&](const at::Tensor& x, const at::Tensor& w) {
    return at::convolution(x, w, {}, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, layer.groups);
  };
  const Convolve ours = [&](const at::Tensor& x, const at::Tensor& w) {
    return kernels::convolution2d(x, w, {.padding = 1, .groups = layer.groups});
  };
  compare(layer, {libtorch, weight}, {ours, weight});
}

/// One of an image that is doubled: for LibTorch, a transposed convolution with a 4x4 kernel.
void compare_doubled(const Layer& layer) {
  const Convolve libtorch = [](const at::Tensor& x, const at::Tensor& w) {
    return at::convolution(x, w, {}, {2, 2}, {1, 1}, {1, 1}, /*transposed=*/true, {0, 0}, 1);
  };
  const Convolve ours = [](const at::Tensor& x, const at::Tensor& w) {
    return kernels::scaled_convolution2d(x, w, kernels::Scaling::kDouble);
  };
  compare(layer, {libtorch, at::randn({layer.channels, layer.channels, 4, 4})},
          {ours, at::randn({layer.channels, layer.channels, 3, 3})});
}

const std::vector<Layer> kPlain = {
    {"R3GAN", 8, 384, 24}, {"R3GAN", 16, 384, 24}, {"R3GAN", 32, 384, 24}, {"StyleGAN2", 64, 32},
    {"StyleGAN2", 32, 64}, {"StyleGAN2", 16, 128}, {"BigGAN", 8, 256},     {"BigGAN", 32, 256}};
const std::vector<Layer> kDoubled = {
    {"DC-GAN, doubled", 16, 128}, {"DC-GAN, doubled", 32, 128}, {"BigGAN, doubled", 8, 256}};

}  // namespace

int main() {
  std::printf("%d threads\n", at::get_num_threads());
  for (const Layer& layer : kPlain) compare_plain(layer);
  for (const Layer& layer : kDoubled) compare_doubled(layer);
}
