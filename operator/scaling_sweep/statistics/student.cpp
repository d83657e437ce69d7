#include "scaling_sweep/statistics/student.h"

#include <cmath>
#include <limits>

namespace ganscale::controller::scaling_sweep {
namespace {

/// The continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = std::numeric_limits<double>::min() / 1e-30;
  constexpr int kMostTerms = 500;
  const auto not_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double term : {even, odd}) {
      d = 1 / not_zero(1 + term * d);
      c = not_zero(1 + term / c);
      change = c * d;
      fraction *= change;
    }
    if (std::abs(change - 1) < 1e-15) break;
  }
  return fraction;
}

/// The regularized incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on this side of the mean alone.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/// The probability of [-t, t].
double within(double t, double degrees) {
  return 1 - incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

}  // namespace

double student_quantile(double degrees, double probability) {
  double low = 0;
  double high = 1;
  while (within(high, degrees) < probability) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (within(middle, degrees) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace ganscale::controller::scaling_sweep
