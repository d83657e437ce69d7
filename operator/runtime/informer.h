#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/gan_training.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/watch.h"

namespace ganscale::controller {

/// Keeps a copy of all objects of one kind, by a list and then a watch, and tells of each change.
///
/// The copy is behind the server, never wrong in itself. A broken or expired watch is begun anew
/// where it ended, or with a new list.
class Informer {
 public:
  using Object = std::shared_ptr<const Json>;

  struct Settings {
    Resource resource;
    std::string selector{};                   ///< of labels; empty: all
    std::function<Json(Json)> keep{};         ///< what to keep of an object; empty: everything
    std::chrono::seconds watch_seconds{300};  ///< the server ends a watch after up to twice as long
    Backoff backoff{std::chrono::milliseconds(800), std::chrono::milliseconds(15000)};
  };

  /// on_change: called on the informer's thread with each object that came, changed or went.
  Informer(std::unique_ptr<Transport> transport, Client::Hooks hooks, Settings settings,
           std::function<void(const Json&)> on_change);
  /// Ends the watch.
  ~Informer();

  void start();
  /// Whether the first list is complete.
  bool synced() const { return synced_; }

  Object find(const Key& key) const;
  /// Objects that bear the label of a training.
  std::vector<Object> of_training(const Key& training) const;
  std::vector<Object> all() const;

 private:
  void run();
  void list();
  void watch();
  void take(const WatchEvent& event);
  void put(Json object);
  void drop(const Key& key);
  void pause(std::chrono::milliseconds time);

  std::unique_ptr<Transport> transport_;
  Client client_;
  Settings settings_;
  std::function<void(const Json&)> on_change_;
  std::atomic<bool> synced_{false};
  std::atomic<bool> stopped_{false};
  std::string version_;  // empty: list first
  mutable std::mutex mutex_;
  std::map<Key, Object> objects_;
  std::map<Key, std::set<Key>> by_training_;
  std::thread thread_;
};

}  // namespace ganscale::controller
