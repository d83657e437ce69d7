#include "metrics/distances/frechet_distance.h"

#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/linalg_eigvalsh.h>

#include <limits>

#include "base/error.h"

namespace ganscale::metrics {
namespace {

/// Sets eigenvalues within rounding to zero: LAPACK's error is about the largest one times epsilon.
at::Tensor without_rounding(const at::Tensor& eigenvalues) {
  const double smallest = eigenvalues.max().item<double>() *
                          static_cast<double>(eigenvalues.size(0)) *
                          std::numeric_limits<double>::epsilon();
  return eigenvalues.where(eigenvalues.gt(smallest), 0.0);
}

at::Tensor square_root(const at::Tensor& covariance) {
  const auto [eigenvalues, vectors] = at::linalg_eigh(covariance);
  return vectors.mul(without_rounding(eigenvalues).sqrt()).mm(vectors.t());
}

}  // namespace

double frechet_distance(const Gaussian& a, const Gaussian& b) {
  check(a.mean.sizes() == b.mean.sizes(), "both distributions have the same number of features");
  const auto root = square_root(a.covariance);
  const auto product = root.mm(b.covariance).mm(root);
  const auto eigenvalues = at::linalg_eigvalsh(product.add(product.t()).div(2));
  const auto root_trace = without_rounding(eigenvalues).sqrt().sum();
  const auto means = a.mean.sub(b.mean).square().sum();
  const auto traces = a.covariance.trace().add(b.covariance.trace());
  return means.add(traces).sub(root_trace, 2).item<double>();
}

std::string rank_deficiency(const Gaussian& gaussian) {
  const auto features = gaussian.mean.size(0);
  if (gaussian.count > features) return "";
  return "the covariance is not of full rank, so the distance is biased: use more than " +
         std::to_string(features) + " images, the number of features; there are " +
         std::to_string(gaussian.count);
}

std::int64_t zero_eigenvalue_count(const Gaussian& gaussian) {
  return without_rounding(at::linalg_eigvalsh(gaussian.covariance))
      .eq(0)
      .sum()
      .item<std::int64_t>();
}

}  // namespace ganscale::metrics
