#include "metrics/distances/precision_recall.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <string>

#include "base/error.h"
#include "comm/collectives/numbers.h"

namespace ganscale::metrics {
namespace {

constexpr std::int64_t kRowsAtOnce = 1024;

/// Returns squared distances in float64, so that the block size does not change any comparison.
at::Tensor squared_distances(const at::Tensor& a, const at::Tensor& b) {
  const auto a_norms = a.square().sum(1, /*keepdim=*/true);
  const auto b_norms = b.square().sum(1);
  return a_norms.add(b_norms).sub(a.mm(b.t()), 2).clamp_min_(0);
}

/// Visits this rank's blocks of rows: the distances [rows, columns] and the number of the first
/// row.
void for_each_block(const at::Tensor& rows, const at::Tensor& columns, const comm::Group& group,
                    const std::function<void(const at::Tensor&, std::int64_t)>& visit) {
  const std::int64_t stride = kRowsAtOnce * group.size();
  for (std::int64_t first = kRowsAtOnce * group.rank(); first < rows.size(0); first += stride) {
    const auto count = std::min(kRowsAtOnce, rows.size(0) - first);
    visit(squared_distances(rows.narrow(0, first, count), columns), first);
  }
}

/// Returns the squared radius of each feature's ball: [N].
at::Tensor radii(const at::Tensor& features, int neighbors, comm::Group& group) {
  const auto result = at::zeros({features.size(0)}, at::kDouble);
  for_each_block(features, features, group, [&](const at::Tensor& distances, std::int64_t first) {
    // The nearest neighbor is the feature itself.
    const auto block = std::get<0>(distances.kthvalue(neighbors + 1, 1));
    result.narrow(0, first, block.size(0)).copy_(block);
  });
  group.all_reduce_sum(result);
  return result.to(features.device());
}

/// Returns the share of `points` that lie in a ball of `centers`.
double share_inside(const at::Tensor& points, const at::Tensor& centers,
                    const at::Tensor& squared_radii, comm::Group& group) {
  std::int64_t inside = 0;
  for_each_block(points, centers, group, [&](const at::Tensor& distances, std::int64_t) {
    inside += distances.le(squared_radii).any(1).sum().item<std::int64_t>();
  });
  comm::all_reduce_sum(group, {&inside});
  return static_cast<double>(inside) / static_cast<double>(points.size(0));
}

FeatureSets in_float64(const FeatureSets& sets) {
  const auto smaller = std::min(sets.real.size(0), sets.fake.size(0));
  if (smaller <= sets.neighbors) {
    throw DataError("balls to the k-th nearest neighbor need more than k images: k = " +
                    std::to_string(sets.neighbors) + ", images " + std::to_string(smaller));
  }
  return {sets.real.to(at::kDouble), sets.fake.to(at::kDouble), sets.neighbors};
}

}  // namespace

PrecisionRecall precision_recall(const FeatureSets& sets, comm::Group& group) {
  const auto [real, fake, neighbors] = in_float64(sets);
  const auto real_radii = radii(real, neighbors, group);
  const auto fake_radii = radii(fake, neighbors, group);
  return {share_inside(fake, real, real_radii, group), share_inside(real, fake, fake_radii, group)};
}

DensityCoverage density_coverage(const FeatureSets& sets, comm::Group& group) {
  const auto [real, fake, neighbors] = in_float64(sets);
  const auto squared_radii = radii(real, neighbors, group).unsqueeze(1);
  std::int64_t pairs = 0;
  std::int64_t covered = 0;
  for_each_block(real, fake, group, [&](const at::Tensor& distances, std::int64_t first) {
    const auto inside = distances.le(squared_radii.narrow(0, first, distances.size(0)));
    pairs += inside.sum().item<std::int64_t>();
    covered += inside.any(1).sum().item<std::int64_t>();
  });
  comm::all_reduce_sum(group, {&pairs, &covered});
  const auto fakes = static_cast<double>(fake.size(0));
  return {static_cast<double>(pairs) / (neighbors * fakes),
          static_cast<double>(covered) / static_cast<double>(real.size(0))};
}

}  // namespace ganscale::metrics
