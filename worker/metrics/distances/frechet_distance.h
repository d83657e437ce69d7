#pragma once

#include <string>

#include "metrics/distances/moments.h"

namespace ganscale::metrics {

/// Returns the Fréchet distance of two normal distributions,
/// |m1 - m2|^2 + tr(C1 + C2 - 2 (C1^1/2 C2 C1^1/2)^1/2); for Inception features this is the FID.
///
/// Paper:   Dowson & Landau 1982; Heusel et al. 2017, arXiv:1706.08500, Eq. (6). The trace of the
///          root is the sum of the roots of the eigenvalues of this symmetric product, which are
///          real, while the root of C1 C2 may be complex.
/// Returns: >= 0, up to rounding.
double frechet_distance(const Gaussian& a, const Gaussian& b);

/// Returns why a covariance cannot have full rank (no more images than features), or an empty
/// string. The distance then has a value, but it is biased.
std::string rank_deficiency(const Gaussian& gaussian);

/// Returns how many eigenvalues of a covariance are zero up to rounding: features that are constant
/// or depend on others. The distance is exact nevertheless.
std::int64_t zero_eigenvalue_count(const Gaussian& gaussian);

}  // namespace ganscale::metrics
