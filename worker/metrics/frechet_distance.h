#pragma once

#include <string>

#include "metrics/moments.h"

namespace ganscale::metrics {

/// Returns the Fréchet distance of two normal distributions,
/// |m1 - m2|^2 + tr(C1 + C2 - 2 (C1^1/2 C2 C1^1/2)^1/2): of Inception's features, the FID.
///
/// Paper:   Dowson & Landau 1982; Heusel et al. 2017, arXiv:1706.08500, Eq. (6). The trace of the
///          root is the sum of the roots of the eigenvalues of that symmetric product: real by
///          construction, where the root of the product C1 C2 may turn out complex.
/// Returns: >= 0, up to rounding.
double frechet_distance(const Gaussian& a, const Gaussian& b);

/// Returns why a covariance cannot be of full rank, or nothing: as many images as features or
/// fewer. The distance still has a value, but that value is biased.
std::string rank_deficiency(const Gaussian& gaussian);

/// Returns how many eigenvalues of a covariance are zero up to rounding: features that never
/// change, or that follow from others. The distance is exact all the same.
std::int64_t zero_eigenvalue_count(const Gaussian& gaussian);

}  // namespace ganscale::metrics
