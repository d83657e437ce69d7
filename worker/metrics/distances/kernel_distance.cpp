#include "metrics/distances/kernel_distance.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/error.h"
#include "base/random.h"

namespace ganscale::metrics {
namespace {

// The last site of the stream: the networks that generate fakes count theirs from 0.
constexpr std::uint32_t kSite = 0xFFFF;

at::Tensor kernel(const at::Tensor& a, const at::Tensor& b) {
  return a.mm(b.t()).div(static_cast<double>(a.size(1))).add(1).pow(3);
}

/// Returns the mean of k(x, y) over pairs of different features of one set.
double mean_of_pairs(const at::Tensor& set) {
  const auto values = kernel(set, set);
  const auto count = static_cast<double>(set.size(0));
  const auto pairs = values.sum().sub(values.diagonal().sum());
  return pairs.item<double>() / (count * (count - 1));
}

at::Tensor draw(const at::Tensor& features, const Subsets& subsets, std::int64_t index) {
  const auto size = std::min(subsets.size, features.size(0));
  const auto rows =
      random_subset(features.size(0), size, subsets.seed, static_cast<std::uint64_t>(index));
  return features.index_select(0, at::tensor(rows).to(features.device()));
}

}  // namespace

std::vector<std::int64_t> random_subset(std::int64_t count, std::int64_t size, std::uint64_t seed,
                                        std::uint64_t index) {
  check(size >= 0 && size <= count, "a subset is no larger than its set");
  std::set<std::int64_t> chosen;
  for (std::int64_t last = count - size; last < count; ++last) {
    const auto block = static_cast<std::uint32_t>(last - (count - size));
    const auto words = random_block(seed, Stream::kEvaluate, index, kSite, block);
    const auto draw = std::uint64_t{words[0]} << 32 | words[1];
    const auto candidate = static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(last + 1));
    if (!chosen.insert(candidate).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

double kernel_distance(const at::Tensor& a, const at::Tensor& b) {
  check(a.size(0) >= 2 && b.size(0) >= 2, "an unbiased estimate needs two features of each set");
  const auto in_a = a.to(at::kDouble);
  const auto in_b = b.to(at::kDouble);
  const double between = kernel(in_a, in_b).mean().item<double>();
  return mean_of_pairs(in_a) + mean_of_pairs(in_b) - 2 * between;
}

MeanAndDeviation kernel_inception_distance(const at::Tensor& real, const at::Tensor& fake,
                                           const Subsets& subsets, comm::Group& group) {
  if (real.size(0) < 2 || fake.size(0) < 2) {
    throw DataError("the kernel distance needs at least two images of each set: " +
                    std::to_string(real.size(0)) + " real, " + std::to_string(fake.size(0)) +
                    " generated");
  }
  const auto values = at::zeros({subsets.count}, at::kDouble);
  auto* value = values.mutable_data_ptr<double>();
  for (std::int64_t i = group.rank(); i < subsets.count; i += group.size()) {
    // Sets of equal size must get different subsets: their features may belong to pairs of images.
    value[i] = kernel_distance(draw(real, subsets, 2 * i), draw(fake, subsets, 2 * i + 1));
  }
  group.all_reduce_sum(values);
  return {values.mean().item<double>(), values.std(/*unbiased=*/false).item<double>()};
}

}  // namespace ganscale::metrics
