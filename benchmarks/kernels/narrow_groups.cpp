#include "kernels/convolution/narrow_groups.h"

#include <ATen/Parallel.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "base/stopwatch.h"

// Convolutions of a block of R3GAN, channels last: LibTorch's (oneDNN's) and ours, in turn, in one
// run.
namespace {

using namespace ganscale;

constexpr std::int64_t kImages = 16;
constexpr std::int64_t kChannels = 384;
constexpr std::int64_t kGroupChannels = 16;
constexpr int kRounds = 15;

struct Contenders {
  std::function<void()> libtorch;
  std::function<void()> ours;
};

double median(std::vector<double> of) {
  std::ranges::sort(of);
  return of[of.size() / 2];
}

void compare(const char* what, std::int64_t size, const Contenders& contenders) {
  std::vector<double> libtorch;
  std::vector<double> ours;
  for (int round = 0; round < kRounds; ++round) {
    const Stopwatch first;
    contenders.libtorch();
    libtorch.push_back(first.seconds());
    const Stopwatch second;
    contenders.ours();
    ours.push_back(second.seconds());
  }
  std::printf("%2ldx%-2ld %-16s LibTorch %6.2f ms, ours %6.2f ms: %.2f times as fast\n",
              static_cast<long>(size), static_cast<long>(size), what, 1e3 * median(libtorch),
              1e3 * median(ours), median(libtorch) / median(ours));
}

void compare_at(std::int64_t size) {
  const auto x =
      at::randn({kImages, kChannels, size, size}).contiguous(at::MemoryFormat::ChannelsLast);
  const auto weight = at::randn({kChannels, kGroupChannels, 3, 3});
  for (const bool transposed : {false, true}) {
    const kernels::Convolution2d options{
        .padding = 1, .transposed = transposed, .groups = kChannels / kGroupChannels};
    const auto by_libtorch = [&] {
      at::convolution(x, weight, {}, {1, 1}, {1, 1}, {1, 1}, transposed, {0, 0}, options.groups);
    };
    compare(transposed ? "input gradient" : "convolution", size,
            {by_libtorch, [&] { kernels::convolve_narrow_groups(x, weight, options); }});
  }
  const kernels::Convolution2d options{.padding = 1, .groups = kChannels / kGroupChannels};
  const auto by_libtorch = [&] {
    at::convolution_backward(x, x, weight, {}, {1, 1}, {1, 1}, {1, 1}, false, {0, 0},
                             options.groups, {false, true, false});
  };
  compare("weight gradient", size,
          {by_libtorch, [&] { kernels::narrow_groups_weight_gradient(x, x, weight, options); }});
}

}  // namespace

int main() {
  std::printf("%d threads\n", at::get_num_threads());
  for (const std::int64_t size : {8, 16, 32}) compare_at(size);
}
