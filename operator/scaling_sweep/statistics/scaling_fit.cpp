#include "scaling_sweep/statistics/scaling_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace ganscale::controller::scaling_sweep {
namespace {

constexpr std::size_t kParameters = 3;  // rate of one, contention, coherence
using Vector = std::array<double, kParameters>;
using Matrix = std::array<Vector, kParameters>;
using Free = std::array<bool, kParameters>;  // the others stay 0
using Points = std::vector<ScalingPoint>;

/// Solves a x = b by Gauss's elimination; nothing if the matrix is singular.
std::optional<Vector> solve(Matrix a, Vector b) {
  for (std::size_t column = 0; column < kParameters; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < kParameters; ++row) {
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    }
    if (!(std::abs(a[pivot][column]) > 0)) return std::nullopt;
    std::swap(a[pivot], a[column]);
    std::swap(b[pivot], b[column]);
    for (std::size_t row = column + 1; row < kParameters; ++row) {
      const double factor = a[row][column] / a[column][column];
      for (std::size_t i = column; i < kParameters; ++i) a[row][i] -= factor * a[column][i];
      b[row] -= factor * b[column];
    }
  }
  Vector x{};
  for (std::size_t row = kParameters; row-- > 0;) {
    double sum = b[row];
    for (std::size_t i = row + 1; i < kParameters; ++i) sum -= a[row][i] * x[i];
    x[row] = sum / a[row][row];
  }
  return x;
}

/// Sums of the least squares of rows · x = right; a parameter that is not free is 0.
struct Normal {
  Matrix a{};
  Vector b{};

  void add(const Vector& row, double right) {
    for (std::size_t i = 0; i < kParameters; ++i) {
      for (std::size_t j = 0; j < kParameters; ++j) a[i][j] += row[i] * row[j];
      b[i] += row[i] * right;
    }
  }
  std::optional<Vector> solution(const Free& free, double damping) const {
    Matrix matrix = a;
    Vector right = b;
    for (std::size_t i = 0; i < kParameters; ++i) {
      matrix[i][i] *= 1 + damping;
      if (free[i]) continue;
      for (std::size_t j = 0; j < kParameters; ++j) matrix[i][j] = matrix[j][i] = 0;
      matrix[i][i] = 1;
      right[i] = 0;
    }
    return solve(matrix, right);
  }
};

double slowdown(const Vector& x, double ranks) {
  return 1 + x[1] * (ranks - 1) + x[2] * ranks * (ranks - 1);
}

double squares(const Vector& x, const Points& points) {
  double sum = 0;
  for (const auto& [ranks, rate] : points) {
    const double error = rate - x[0] * ranks / slowdown(x, ranks);
    sum += error * error;
  }
  return sum;
}

/// The parameters that fit best in relative terms: 1 = rate / ranks · (1 + ...) / rate_of_one is
/// linear in 1, contention and coherence over rate_of_one.
std::optional<Vector> first_guess(const Points& points, const Free& free) {
  Normal normal;
  for (const auto& [ranks, rate] : points) {
    const double each = rate / ranks;
    normal.add({each, each * (ranks - 1), each * ranks * (ranks - 1)}, 1);
  }
  const auto x = normal.solution(free, 0);
  if (!x || !((*x)[0] > 0)) return std::nullopt;
  return Vector{1 / (*x)[0], (*x)[1] / (*x)[0], (*x)[2] / (*x)[0]};
}

Normal linearized(const Vector& x, const Points& points) {
  Normal normal;
  for (const auto& [ranks, rate] : points) {
    const double down = slowdown(x, ranks);
    const double fitted = x[0] * ranks / down;
    normal.add({ranks / down, -fitted * (ranks - 1) / down, -fitted * ranks * (ranks - 1) / down},
               rate - fitted);
  }
  return normal;
}

/// Levenberg and Marquardt's method from a first guess on.
Vector refine(Vector x, const Points& points, const Free& free) {
  double damping = 1e-3;
  for (int i = 0; i < 500 && damping < 1e12; ++i) {
    const auto step = linearized(x, points).solution(free, damping);
    if (!step) break;
    Vector next = x;
    for (std::size_t k = 0; k < kParameters; ++k) next[k] += (*step)[k];
    if (squares(next, points) < squares(x, points)) {
      x = next;
      damping = std::max(damping / 10, 1e-12);
    } else {
      damping *= 10;
    }
  }
  return x;
}

double r_squared(const Vector& x, const Points& points) {
  double mean = 0;
  for (const auto& point : points) mean += point.rate / static_cast<double>(points.size());
  double total = 0;
  for (const auto& point : points) total += (point.rate - mean) * (point.rate - mean);
  return total > 0 ? 1 - squares(x, points) / total : 0;
}

bool is_usable(const ScalingPoint& point) { return point.ranks > 0 && point.rate > 0; }

std::optional<ScalingFit> fit(Points points, Free free) {
  std::erase_if(points, [](const ScalingPoint& point) { return !is_usable(point); });
  std::set<double> sizes;
  for (const auto& point : points) sizes.insert(point.ranks);
  if (static_cast<std::ptrdiff_t>(sizes.size()) <= std::ranges::count(free, true)) {
    return std::nullopt;  // it would fit whatever was measured
  }
  while (true) {
    const auto guess = first_guess(points, free);
    if (!guess) return std::nullopt;
    const Vector x = refine(*guess, points, free);
    // A share below 0 means nothing: the best fit has 0 instead.
    const std::size_t lowest = x[1] < x[2] ? 1 : 2;
    if (x[lowest] >= 0) return ScalingFit{x[0], x[1], x[2], r_squared(x, points)};
    free[lowest] = false;
  }
}

}  // namespace

double ScalingFit::rate(double ranks) const {
  return rate_of_one * ranks / slowdown({rate_of_one, contention, coherence}, ranks);
}

std::optional<double> ScalingFit::peak_ranks() const {
  if (coherence <= 0 || contention >= 1) return std::nullopt;
  return std::sqrt((1 - contention) / coherence);
}

std::optional<ScalingFit> fit_amdahl(const Points& points) {
  return fit(points, {true, true, false});
}

std::optional<ScalingFit> fit_usl(const Points& points) { return fit(points, {true, true, true}); }

}  // namespace ganscale::controller::scaling_sweep
