#pragma once

#include <limits>

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

/// Returns the bounds of what is within both.
constexpr Bounds within_both(Bounds a, const Bounds& b) {
  if (b.lowest > a.lowest || (b.lowest == a.lowest && b.excludes_lowest)) {
    a.lowest = b.lowest;
    a.excludes_lowest = b.excludes_lowest;
  }
  if (b.highest < a.highest || (b.highest == a.highest && b.excludes_highest)) {
    a.highest = b.highest;
    a.excludes_highest = b.excludes_highest;
  }
  return a;
}

/// Returns the narrowest bounds of what is within either.
constexpr Bounds within_either(Bounds a, const Bounds& b) {
  if (b.lowest < a.lowest || (b.lowest == a.lowest && !b.excludes_lowest)) {
    a.lowest = b.lowest;
    a.excludes_lowest = b.excludes_lowest;
  }
  if (b.highest > a.highest || (b.highest == a.highest && !b.excludes_highest)) {
    a.highest = b.highest;
    a.excludes_highest = b.excludes_highest;
  }
  return a;
}

}  // namespace ganscale::config
