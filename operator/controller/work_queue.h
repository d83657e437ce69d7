#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "object/key.h"

namespace ganscale::controller {

/// A queue of keys to reconcile, as in client-go. A key is queued at most once, and one that is
/// added while it is processed is queued again afterward, so none is ever processed twice at a
/// time. Thread-safe.
class WorkQueue {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::chrono::milliseconds first{5};  ///< after the first failure; doubled for each further one
    std::chrono::milliseconds longest{60000};
  };
  struct Counts {
    std::size_t depth = 0;
    std::uint64_t adds = 0;
    std::uint64_t retries = 0;
  };
  /// A key and when it was queued.
  struct Item {
    Key key;
    Clock::time_point added;
  };

  explicit WorkQueue(Limits limits) : limits_(limits) {}

  void add(const Key& key);
  /// Adds a key after a delay; the earliest of several delays counts.
  void add_after(const Key& key, Clock::duration delay);
  /// Adds a key with a backoff that doubles with each consecutive failure.
  void add_rate_limited(const Key& key);
  /// Resets the backoff of a key.
  void forget(const Key& key);

  /// Waits for a key; nullopt after shut_down(). Call done() for each returned key.
  std::optional<Item> get();
  void done(const Key& key);

  void shut_down();
  Counts counts() const;

 private:
  void push(const Key& key);
  Clock::time_point take_due(Clock::time_point now);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;
  std::set<Key> dirty_;  // waits, or must come back
  std::set<Key> processing_;
  std::map<Key, Clock::time_point> delayed_;
  std::map<Key, int> failures_;
  Counts counts_;
  bool shut_ = false;
};

}  // namespace ganscale::controller
