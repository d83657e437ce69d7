#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace ganscale {

/// A first-in, first-out queue between threads of at most `capacity` items. It never blocks.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Adds the item and returns true; returns false if there is no room.
  bool try_push(T item) {
    const std::scoped_lock lock(mutex_);
    if (items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    return true;
  }

  /// Returns the oldest item, if there is one.
  std::optional<T> try_pop() {
    const std::scoped_lock lock(mutex_);
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::deque<T> items_;
};

}  // namespace ganscale
