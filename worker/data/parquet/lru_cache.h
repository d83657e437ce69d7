#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <future>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace ganscale::data {

/// Keeps the values that were used last, up to a number of bytes. Thread safe.
///
/// Values that are being made count, too, with their expected size: a thread waits while others make
/// values up to the limit. A single value that is larger than the limit is kept alone.
///
/// Value: has size_bytes().
template <class Value>
class LruCache {
 public:
  using Pointer = std::shared_ptr<const Value>;

  explicit LruCache(std::int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  /// Returns the value of a key: the kept one, or what make() returns. Of threads that ask for the
  /// same key at once, one makes the value for all; if that throws, all of them throw the same, and
  /// the next call makes it again.
  template <class Make>
  Pointer get(std::int64_t key, std::int64_t expected_bytes, const Make& make) {
    expected_bytes = std::clamp<std::int64_t>(expected_bytes, 0, limit_bytes_);
    std::unique_lock lock(mutex_);
    for (;;) {
      if (const auto value = find(key)) {
        lock.unlock();
        return value->get();
      }
      if (making_bytes_ + expected_bytes <= limit_bytes_) break;
      made_.wait(lock);
    }
    std::promise<Pointer> promise;
    order_.push_front(key);
    entries_.emplace(key, Entry{promise.get_future().share(), expected_bytes, order_.begin()});
    making_bytes_ += expected_bytes;
    evict();
    lock.unlock();
    try {
      const Pointer value = make();
      promise.set_value(value);
      keep(key, value->size_bytes());
      return value;
    } catch (...) {
      promise.set_exception(std::current_exception());
      forget(key);
      throw;
    }
  }

  /// Returns the bytes of all kept values.
  std::int64_t kept_bytes() const {
    const std::scoped_lock lock(mutex_);
    return kept_bytes_;
  }

 private:
  struct Entry {
    std::shared_future<Pointer> value;
    std::int64_t size_bytes = 0;
    std::list<std::int64_t>::iterator place;  ///< in order_
    bool is_made = false;
  };

  std::optional<std::shared_future<Pointer>> find(std::int64_t key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    order_.splice(order_.begin(), order_, found->second.place);
    return found->second.value;
  }

  void keep(std::int64_t key, std::int64_t size_bytes) {
    const std::scoped_lock lock(mutex_);
    Entry& entry = entries_.at(key);
    making_bytes_ -= entry.size_bytes;
    entry.size_bytes = size_bytes;
    entry.is_made = true;
    kept_bytes_ += size_bytes;
    evict();
    made_.notify_all();
  }

  void forget(std::int64_t key) {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(key);
    making_bytes_ -= found->second.size_bytes;
    order_.erase(found->second.place);
    entries_.erase(found);
    made_.notify_all();
  }

  /// Drops the values used longest ago, but not the last one, until the others and those that are being
  /// made are within the limit.
  void evict() {
    auto place = order_.end();
    while (kept_bytes_ + making_bytes_ > limit_bytes_ && --place != order_.begin()) {
      const auto found = entries_.find(*place);
      if (!found->second.is_made) continue;
      kept_bytes_ -= found->second.size_bytes;
      entries_.erase(found);
      place = order_.erase(place);
    }
  }

  const std::int64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable made_;
  std::unordered_map<std::int64_t, Entry> entries_;
  std::list<std::int64_t> order_;  ///< keys, the last used first
  std::int64_t kept_bytes_ = 0;
  std::int64_t making_bytes_ = 0;
};

}  // namespace ganscale::data
