#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/watch.h"

namespace ganscale::controller {

/// Follows all objects of one resource, in one namespace or in all, by list and watch.
///
/// A watch that ended in time is resumed there; one that broke or expired starts with a new list.
class Reflector {
 public:
  struct Settings {
    Resource resource;
    std::string name_space;                   ///< empty: all
    std::string selector;                     ///< of labels; empty: all
    std::string field_selector{};             ///< percent-encoded; empty: all
    std::chrono::seconds watch_seconds{300};  ///< the server ends a watch after up to twice as long
    Backoff backoff{std::chrono::milliseconds(800), std::chrono::milliseconds(15000)};
    /// A longer watch starts the backoff anew, also if it broke or expired.
    std::chrono::milliseconds short_watch{5000};
  };
  /// The receivers of what is read. Called on the reflector's thread, and by list().
  struct Handlers {
    std::function<void(Json)> put;                     ///< an object is there, as it is now
    std::function<void(const Key&)> drop;              ///< it was deleted
    std::function<void(const std::set<Key>&)> listed;  ///< no other objects are there
  };

  Reflector(std::unique_ptr<Transport> transport, Client::Hooks hooks, Settings settings,
            Handlers handlers);
  /// Stops the watch.
  ~Reflector();

  void start();
  /// Lists all objects once; start() does so on its own thread. Throws ApiError, TransportError.
  void list();
  /// Whether the first list is complete.
  bool synced() const { return synced_; }
  /// Whether the server refused the last list of its one namespace: no right, perhaps because the
  /// namespace is gone, and its RoleBindings with it. It goes on trying.
  bool refused() const { return refused_; }
  /// Whether it has all objects of a namespace, as they were lately.
  bool knows(const std::string& name_space) const {
    const bool is_in = settings_.name_space.empty() || settings_.name_space == name_space;
    return is_in && synced_ && !refused_;
  }
  /// Whether the thread has sent or received something lately.
  bool alive(std::chrono::steady_clock::duration lately) const {
    return Clock::now() - heard_.load() < lately;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  Clock::duration list_and_watch();
  bool try_list();
  void watch();
  void take(const WatchEvent& event);

  std::unique_ptr<Transport> transport_;
  Client client_;
  Settings settings_;
  Handlers handlers_;
  std::atomic<bool> synced_{false};
  std::atomic<bool> refused_{false};
  std::atomic<bool> stopped_{false};
  std::atomic<Clock::time_point> heard_{Clock::now()};
  std::string version_;  // empty: list first
  std::thread thread_;
};

}  // namespace ganscale::controller
