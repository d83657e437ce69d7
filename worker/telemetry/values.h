#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"

/// The metric types of a rank. They live in memory shared by processes, so they are lock-free
/// atomics with a fixed layout and no pointers. Any thread of the rank may write while any process
/// of the node reads; a write takes a few nanoseconds.
namespace ganscale::telemetry {

static_assert(std::atomic<double>::is_always_lock_free, "a lock does not work between processes");

/// A sum that only grows. It starts at 0 with the process.
class Counter {
 public:
  void add(double amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

/// A value that can go up and down. Not exposed before the first set().
class Gauge {
 public:
  void set(double value) {
    value_.store(value, std::memory_order_relaxed);
    is_set_.store(true, std::memory_order_release);
  }
  bool is_set() const { return is_set_.load(std::memory_order_acquire); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
  std::atomic<bool> is_set_{false};
};

/// Counts observations in buckets. `kUpperBounds` is an ascending constexpr std::array<double, n>;
/// an observation belongs to the first bound that is not below it, or to +Inf.
template <const auto& kUpperBounds>
class Histogram {
 public:
  static constexpr const auto& upper_bounds() { return kUpperBounds; }

  void observe(double value) {
    const auto bound = std::lower_bound(kUpperBounds.begin(), kUpperBounds.end(), value);
    counts_[static_cast<std::size_t>(bound - kUpperBounds.begin())].fetch_add(
        1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }
  /// Returns the observations in one bucket, not cumulative; bucket kUpperBounds.size() is +Inf.
  std::uint64_t count(std::size_t bucket) const {
    return counts_[bucket].load(std::memory_order_relaxed);
  }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, kUpperBounds.size() + 1> counts_{};
  std::atomic<double> sum_{0};
};

/// A metric for each value of a label, created on first use: at most kWords label values, each
/// shorter than 48 bytes.
template <class Value>
class Labeled {
 public:
  static constexpr std::size_t kWords = 16;

  /// Returns the metric of a label value. Throws kBug for one value too many, or too long.
  Value& at(std::string_view word) {
    check(word.size() < kWordBytes, "a label's word is shorter than 48 bytes");
    for (Slot& slot : slots_) {
      int state = slot.state.load(std::memory_order_acquire);
      if (state == kFree && slot.state.compare_exchange_strong(state, kClaimed)) {
        std::copy(word.begin(), word.end(), slot.word.begin());
        slot.state.store(kReady, std::memory_order_release);
        return slot.value;
      }
      // Another thread copies its label value, a few bytes.
      while (state == kClaimed) state = slot.state.load(std::memory_order_acquire);
      if (word == slot.word.data()) return slot.value;
    }
    check(false, "a label has at most 16 words");
    return slots_.front().value;
  }

  /// Calls visit(label value, metric) for each label value, in order of first use.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.state.load(std::memory_order_acquire) == kReady) visit(slot.word.data(), slot.value);
    }
  }

 private:
  static constexpr std::size_t kWordBytes = 48;
  static constexpr int kFree = 0;
  static constexpr int kClaimed = 1;
  static constexpr int kReady = 2;
  struct Slot {
    std::atomic<int> state{kFree};
    std::array<char, kWordBytes> word{};
    Value value;
  };
  std::array<Slot, kWords> slots_;
};

}  // namespace ganscale::telemetry
