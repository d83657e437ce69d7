#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/watch.h"

namespace ganscale::controller {

/// Caches all objects of one resource by list and watch, and calls back for each change.
///
/// The cache may lag behind the server but is consistent. A broken watch is resumed where it ended;
/// an expired one starts with a new list.
class Informer {
 public:
  using Object = std::shared_ptr<const Json>;

  struct Settings {
    Resource resource;
    std::string selector{};            ///< of labels; empty: all
    std::string field_selector{};      ///< percent-encoded; empty: all
    std::function<Json(Json)> keep{};  ///< strips an object; default: keeps all of it
    /// Returns the index key of an object for by_index(), if it has one.
    std::function<std::optional<Key>(const Json&)> index{};
    std::chrono::seconds watch_seconds{300};  ///< the server ends a watch after up to twice as long
    Backoff backoff{std::chrono::milliseconds(800), std::chrono::milliseconds(15000)};
  };

  /// on_change: called on the informer's thread for each added, changed or deleted object.
  Informer(std::unique_ptr<Transport> transport, Client::Hooks hooks, Settings settings,
           std::function<void(const Json&)> on_change);
  /// Stops the watch.
  ~Informer();

  void start();
  /// Lists all objects once; start() does so on its own thread. Throws ApiError, TransportError.
  void list();
  /// Whether the first list is complete.
  bool synced() const { return synced_; }
  /// Whether the thread has tried or heard something lately. It does every few minutes, whatever
  /// the server does: one that has not is dead, and the cache with it.
  bool alive(std::chrono::steady_clock::duration lately = std::chrono::minutes(10)) const {
    return Clock::now() - heard_.load() < lately;
  }

  Object find(const Key& key) const;
  /// Returns the objects with this index key.
  std::vector<Object> by_index(const Key& index) const;
  std::vector<Object> all() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Object object;
    std::optional<Key> index;
  };

  void run();
  void watch();
  void take(const WatchEvent& event);
  void put(Json object);
  void drop(const Key& key);
  void remove_from_index(const Key& key, const Entry& entry);

  std::unique_ptr<Transport> transport_;
  Client client_;
  Settings settings_;
  std::function<void(const Json&)> on_change_;
  std::atomic<bool> synced_{false};
  std::atomic<bool> stopped_{false};
  std::atomic<Clock::time_point> heard_{Clock::now()};
  std::string version_;  // empty: list first
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::map<Key, std::set<Key>> index_;
  std::thread thread_;
};

}  // namespace ganscale::controller
