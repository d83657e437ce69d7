// What a planted mutant is made of (plant.py). Each function computes what the source says, or the mutation if the mutant is active.
#pragma once
#pragma GCC system_header  // no warnings of comparisons that only the mutation makes

#include <initializer_list>

namespace ganscale::mutation {

/// Returns whether GANSCALE_MUTANT is this number.
bool active(int mutant);

template <typename L, typename R>
auto less(int mutant, const L& left, const R& right) {
  return active(mutant) ? left <= right : left < right;
}

template <typename L, typename R>
auto less_equal(int mutant, const L& left, const R& right) {
  return active(mutant) ? left < right : left <= right;
}

template <typename L, typename R>
auto greater(int mutant, const L& left, const R& right) {
  return active(mutant) ? left >= right : left > right;
}

template <typename L, typename R>
auto greater_equal(int mutant, const L& left, const R& right) {
  return active(mutant) ? left > right : left >= right;
}

template <typename L, typename R>
auto equal(int mutant, const L& left, const R& right) {
  return active(mutant) ? left != right : left == right;
}

template <typename L, typename R>
auto not_equal(int mutant, const L& left, const R& right) {
  return active(mutant) ? left == right : left != right;
}

template <typename L, typename R>
auto plus(int mutant, const L& left, const R& right) {
  return active(mutant) ? left - right : left + right;
}

template <typename L, typename R>
auto minus(int mutant, const L& left, const R& right) {
  return active(mutant) ? left + right : left - right;
}

template <typename L, typename R>
L& add(int mutant, L& left, const R& right) {
  return active(mutant) ? left -= right : left += right;
}

template <typename L, typename R>
L& subtract(int mutant, L& left, const R& right) {
  return active(mutant) ? left += right : left -= right;
}

template <typename T>
T constant(int mutant, T value) {
  return active(mutant) ? value + 1 : value;
}

/// std::min or std::max: the other one if the mutant is active.
struct Extreme {
  int mutant;
  bool is_least;

  template <typename T>
  T of(const T& left, const T& right) const {
    const bool takes_least = is_least != active(mutant);
    return (takes_least ? right < left : left < right) ? right : left;
  }
  template <typename T>
  T of(std::initializer_list<T> values) const {
    T found = *values.begin();
    for (const T& value : values) found = of(found, value);
    return found;
  }
};

}  // namespace ganscale::mutation
