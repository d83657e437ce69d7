#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "api/gan_training.h"

namespace ganscale::controller {

/// Keys that want a look, each at most once: one that is added while it waits is not added again,
/// and one that is added while somebody works on it comes back when that one is done. So no key is
/// ever in two hands. Any thread may call.
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
  /// A key and since when it waited.
  struct Item {
    Key key;
    Clock::time_point added;
  };

  explicit WorkQueue(Limits limits) : limits_(limits) {}

  void add(const Key& key);
  /// Adds a key later; of several times the earliest counts.
  void add_after(const Key& key, Clock::duration delay);
  /// Adds a key after a wait that grows with each failure in a row.
  void add_after_failure(const Key& key);
  /// Ends the row of failures.
  void forget(const Key& key);

  /// Waits for a key; nothing once the queue is shut. Each key got must be given back by done().
  std::optional<Item> get();
  void done(const Key& key);

  void shut();
  Counts counts() const;

 private:
  void push(const Key& key);
  Clock::time_point take_due(Clock::time_point now);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;
  std::set<Key> dirty_;  // waits, or must come back
  std::set<Key> in_hand_;
  std::map<Key, Clock::time_point> later_;
  std::map<Key, int> failures_;
  Counts counts_;
  bool shut_ = false;
};

}  // namespace ganscale::controller
