#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/reflector.h"

namespace ganscale::controller {

/// Caches all objects of one resource, of some namespaces or of all, and calls back for each
/// change. The cache may lag behind the server but is consistent. It has its objects in a form that
/// takes a fraction of Json's memory, and parses what it returns.
class Informer {
 public:
  using Object = std::shared_ptr<const Json>;
  using Connect = std::function<std::unique_ptr<Transport>()>;

  struct Settings {
    Resource resource;
    std::vector<std::string> name_spaces{};  ///< empty: all, by one watch
    std::string selector{};                  ///< of labels; empty: all
    std::string field_selector{};            ///< percent-encoded; empty: all
    std::function<Json(Json)> keep{};        ///< strips an object; default: keeps all of it
    /// Returns the index key of an object for by_index(), if it has one.
    std::function<std::optional<Key>(const Json&)> index{};
    Backoff backoff{std::chrono::milliseconds(800), std::chrono::milliseconds(15000)};
    std::chrono::milliseconds short_watch{5000};  ///< a longer one starts the backoff anew
  };

  /// connect: called for each watch. on_change: called, on the thread of a watch, for each added,
  /// changed or deleted object.
  Informer(const Connect& connect, const Client::Hooks& hooks, Settings settings,
           std::function<void(const Json&)> on_change);

  void start();
  /// Lists all objects once; start() does so on threads of its own. Throws ApiError,
  /// TransportError.
  void list();
  /// Whether the first lists are complete, but for namespaces where they are refused; not if they
  /// are refused in all.
  bool synced() const;
  /// Whether the cache has all objects of a namespace. Not while lists of it are refused.
  bool knows(const std::string& name_space) const;
  /// Whether all threads have sent or received something lately. They do every few minutes,
  /// whatever the server does: a thread that has not is dead, and the cache with it.
  bool alive(std::chrono::steady_clock::duration lately = std::chrono::minutes(10)) const;

  Object find(const Key& key) const;
  /// Returns the objects with this index key.
  std::vector<Object> by_index(const Key& index) const;
  /// Returns all objects of the namespaces that it knows; find() and by_index() still have what it
  /// last read of another.
  std::vector<Object> all() const;

 private:
  using Packed = std::shared_ptr<const std::vector<std::uint8_t>>;  // MessagePack

  struct Entry {
    Packed object;
    std::optional<Key> index;
  };

  static Object unpacked(const Packed& object);
  static std::vector<Object> unpacked(const std::vector<Packed>& objects);
  void put(Json object);
  void drop(const Key& key);
  void drop_others(const std::string& name_space, const std::set<Key>& listed);
  void remove_from_index(const Key& key, const Entry& entry);

  Settings settings_;
  std::function<void(const Json&)> on_change_;
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::map<Key, std::set<Key>> index_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;  // goes first: its threads use the rest
};

}  // namespace ganscale::controller
