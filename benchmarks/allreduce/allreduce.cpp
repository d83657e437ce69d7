// Measures the all-reduce of gradients over the ranks of one mpirun; benchmarks/README.md says
// how to start it.
//   1. the time of our bucketed all-reduce against a plain MPI_Allreduce of the same bytes;
//      a median ratio over 1.2 is exit code 1;
//   2. the share of it that the backward pass hides, for networks as large as DC-GAN's and larger;
//      a median of rank 0 that is not over 50% is exit code 1.
#include <ATen/ATen.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "comm/backends/mpi_session.h"
#include "comm/collectives/bucketed_gradients.h"
#include "comm/collectives/numbers.h"
#include "comm/open_world.h"

namespace {

using ganscale::Stopwatch;
using ganscale::comm::BucketedGradients;
using ganscale::comm::Group;

constexpr std::int64_t kBucketBytes = 25'000'000;
constexpr int kRounds = 25;
constexpr double kMostOfBare = 1.2;
constexpr double kHiddenShare = 0.5;

double median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + numbers.size() / 2, numbers.end());
  return numbers[numbers.size() / 2];
}

// The slowest rank's time for an action that all ranks start together.
double slowest_seconds(Group& group, const std::function<void()>& action) {
  group.all_reduce_sum(at::zeros({1}));
  const Stopwatch watch;
  action();
  const auto seconds = at::full({1}, watch.seconds(), at::kDouble);
  group.all_reduce_max(seconds);
  return seconds.item<double>();
}

// Returns the median of the rounds' ratios.
double compare_with_bare_allreduce(Group& group, std::int64_t megabytes) {
  const std::int64_t layer_count = 16;
  std::vector<at::Tensor> parameters;
  for (int i = 0; i < layer_count; ++i) {
    parameters.push_back(at::zeros({megabytes * 1'000'000 / 4 / layer_count}).requires_grad_());
  }
  BucketedGradients gradients(parameters, group, kBucketBytes);
  std::int64_t element_count = 0;
  for (const auto& bucket : gradients.buckets()) element_count += bucket.numel();
  const auto flat = at::zeros({element_count});
  std::vector<double> ours, bare, ratios;
  for (int round = 0; round < kRounds; ++round) {
    bare.push_back(slowest_seconds(group, [&] {
      MPI_Allreduce(MPI_IN_PLACE, flat.data_ptr(), static_cast<int>(element_count), MPI_FLOAT,
                    MPI_SUM, MPI_COMM_WORLD);
    }));
    ours.push_back(slowest_seconds(group, [&] {
      gradients.begin();
      gradients.finish();
    }));
    ratios.push_back(ours.back() / bare.back());
  }
  if (group.rank() != 0) return median(ratios);
  std::printf(
      "%4ld MB: bare MPI_Allreduce %7.2f ms, ours %7.2f ms, ratio of a round: median %.2f (%.2f to "
      "%.2f)\n",
      static_cast<long>(megabytes), median(bare) * 1e3, median(ours) * 1e3, median(ratios),
      *std::min_element(ratios.begin(), ratios.end()),
      *std::max_element(ratios.begin(), ratios.end()));
  return median(ratios);
}

// DC-GAN's discriminator for 64x64 images: 4x4 convolutions of stride 2, `width` channels after
// the first.
std::vector<at::Tensor> make_network(std::int64_t width) {
  std::vector<at::Tensor> weights;
  std::int64_t channels = 3;
  for (const std::int64_t next : {width, 2 * width, 4 * width, 8 * width}) {
    weights.push_back((at::randn({next, channels, 4, 4}) * 0.02).requires_grad_());
    channels = next;
  }
  weights.push_back((at::randn({1, channels, 4, 4}) * 0.02).requires_grad_());
  return weights;
}

at::Tensor loss_of(const std::vector<at::Tensor>& weights, at::Tensor images) {
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    images = at::leaky_relu(at::conv2d(images, weights[i], {}, 2, 1), 0.2);
  }
  return at::conv2d(images, weights.back()).mean();
}

// Returns the median of rank 0's rounds, on all ranks.
double measure_hidden_share(Group& group, std::int64_t width, std::int64_t batch) {
  const auto weights = make_network(width);
  std::int64_t parameter_count = 0;
  for (const auto& weight : weights) parameter_count += weight.numel();
  const auto images = at::randn({batch, 3, 64, 64});
  BucketedGradients gradients(weights, group, kBucketBytes);
  const auto step = [&](bool communicate) {
    gradients.clear();
    const auto loss = loss_of(weights, images);
    if (communicate) gradients.begin();
    gradients.backward(loss);
    if (communicate) gradients.finish();
  };
  step(true);
  std::vector<double> alone, together, hidden;
  for (int round = 0; round < kRounds; ++round) {
    alone.push_back(slowest_seconds(group, [&] { step(false); }));
    const auto before = group.all_reduce_cost();
    together.push_back(slowest_seconds(group, [&] { step(true); }));
    const auto after = group.all_reduce_cost();
    const double busy = after.busy_seconds - before.busy_seconds;
    hidden.push_back(1 - (after.exposed_seconds - before.exposed_seconds) / busy);
  }
  double median_hidden = median(hidden);
  ganscale::comm::broadcast_from_rank_0(group, {&median_hidden});
  if (group.rank() != 0) return median_hidden;
  std::printf(
      "%5.1f M parameters, %zu buckets, batch %ld: step %7.1f ms without sums, %7.1f ms with; "
      "hidden share: median %3.0f%% (%3.0f%% to %3.0f%%)\n",
      static_cast<double>(parameter_count) / 1e6, gradients.buckets().size(),
      static_cast<long>(batch), median(alone) * 1e3, median(together) * 1e3, median_hidden * 100,
      *std::min_element(hidden.begin(), hidden.end()) * 100,
      *std::max_element(hidden.begin(), hidden.end()) * 100);
  return median_hidden;
}

}  // namespace

int main() {
  const ganscale::comm::MpiSession session;
  const auto world = ganscale::comm::open_world({});
  double highest_ratio = 0;  // the same on all ranks: each took the slowest's times
  for (const std::int64_t megabytes : {1, 14, 25, 100}) {
    highest_ratio = std::max(highest_ratio, compare_with_bare_allreduce(*world.group, megabytes));
  }
  const double least_hidden = std::min({measure_hidden_share(*world.group, 64, 32),
                                        measure_hidden_share(*world.group, 128, 16),
                                        measure_hidden_share(*world.group, 256, 8)});
  if (world.group->rank() == 0) {
    std::printf(
        "highest median ratio to the bare sum: %.2f (needed: at most %.1f); least median hidden "
        "share: %.0f%% (needed: over %.0f%%)\n",
        highest_ratio, kMostOfBare, least_hidden * 100, kHiddenShare * 100);
  }
  return highest_ratio <= kMostOfBare && least_hidden > kHiddenShare ? 0 : 1;
}
