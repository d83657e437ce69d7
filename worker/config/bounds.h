#pragma once

#include <algorithm>
#include <limits>
#include <utility>

namespace ganscale::config {

/// Bounds of a number, which include their ends unless excluded.
struct Bounds {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool excludes_lowest = false;
  bool excludes_highest = false;

  constexpr bool hold(double number) const {
    const bool is_high_enough = excludes_lowest ? number > lowest : number >= lowest;
    return is_high_enough && (excludes_highest ? number < highest : number <= highest);
  }
};

consteval Bounds at_least(double lowest) { return {.lowest = lowest}; }
consteval Bounds above(double lowest) { return {.lowest = lowest, .excludes_lowest = true}; }
consteval Bounds between(double lowest, double highest) {
  return {.lowest = lowest, .highest = highest};
}

/// The ends of bounds; the larger lower end and the smaller upper one leave out more.
constexpr std::pair<double, bool> lower_end(const Bounds& bounds) {
  return {bounds.lowest, bounds.excludes_lowest};
}
constexpr std::pair<double, bool> upper_end(const Bounds& bounds) {
  return {bounds.highest, !bounds.excludes_highest};
}
constexpr Bounds between_ends(std::pair<double, bool> lower, std::pair<double, bool> upper) {
  return {lower.first, upper.first, lower.second, !upper.second};
}

/// Returns the bounds of what is within both.
constexpr Bounds within_both(const Bounds& a, const Bounds& b) {
  return between_ends(std::max(lower_end(a), lower_end(b)), std::min(upper_end(a), upper_end(b)));
}

/// Returns the narrowest bounds of what is within either.
constexpr Bounds within_either(const Bounds& a, const Bounds& b) {
  return between_ends(std::min(lower_end(a), lower_end(b)), std::max(upper_end(a), upper_end(b)));
}

}  // namespace ganscale::config
