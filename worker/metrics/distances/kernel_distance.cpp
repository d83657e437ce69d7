#include "metrics/distances/kernel_distance.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "metrics/distances/random_subset.h"

namespace ganscale::metrics {
namespace {

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
