#include "data/tools/f_distribution.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/tools/fraction.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"

namespace ganscale::data {
namespace {

constexpr double kSmallestP = 1e-200;

/// The terms of the continued fraction of the incomplete beta function.
///
/// Abramowitz & Stegun 1964, 26.5.8.
class BetaTerms {
 public:
  using result_type = std::pair<long double, long double>;

  BetaTerms(long double a, long double b, long double x) : a_(a), b_(b), x_(x) {}

  result_type operator()() {
    const long double n = static_cast<long double>(index_ / 2);
    const bool even = index_ % 2 == 0;
    ++index_;
    if (index_ == 1) return {0, 1};
    const long double place = a_ + 2 * n;
    if (even) return {n * (b_ - n) * x_ / ((place - 1) * place), 1};
    return {-(a_ + n) * (a_ + b_ + n) * x_ / (place * (place + 1)), 1};
  }

 private:
  long double a_;
  long double b_;
  long double x_;
  int index_ = 0;
};

/// Returns log I_x(a, b) with x = 1 / (1 + ratio), for x below the mean of the beta distribution.
/// long double is precise enough for the difference of large log-gammas.
long double log_incomplete_beta(long double a, long double b, long double ratio) {
  const long double log_x = -std::log1p(ratio);
  const long double log_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  BetaTerms terms(a, b, 1 / (1 + ratio));
  const long double fraction =
      boost::math::tools::continued_fraction_b(terms, std::numeric_limits<long double>::epsilon());
  return a * log_x + b * (std::log(ratio) + log_x) - log_beta - std::log(a * fraction);
}

}  // namespace

double log10_f_test_p(double f, double between_degrees, double within_degrees) {
  check(f >= 0 && between_degrees > 0 && within_degrees > 0, "an F-test has positive degrees");
  if (std::isinf(f)) return -std::numeric_limits<double>::infinity();
  const double a = within_degrees / 2;
  const double b = between_degrees / 2;
  const double ratio = between_degrees * f / within_degrees;
  const double p = boost::math::ibeta(a, b, 1 / (1 + ratio));
  if (p > kSmallestP) return std::log10(p);
  return static_cast<double>(log_incomplete_beta(a, b, ratio) / std::log(10.0L));
}

}  // namespace ganscale::data
