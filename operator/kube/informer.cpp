#include "kube/informer.h"

#include <algorithm>

namespace ganscale::controller {
Informer::Informer(const Connect& connect, const Client::Hooks& hooks, Settings settings,
                   std::function<void(const Json&)> on_change)
    : settings_(std::move(settings)), on_change_(std::move(on_change)) {
  if (!settings_.keep) settings_.keep = [](Json object) { return object; };
  if (!settings_.index) settings_.index = [](const Json&) { return std::nullopt; };
  if (settings_.name_spaces.empty()) settings_.name_spaces.emplace_back();
  for (const std::string& name_space : settings_.name_spaces) {
    const Reflector::Settings part{.resource = settings_.resource,
                                   .name_space = name_space,
                                   .selector = settings_.selector,
                                   .field_selector = settings_.field_selector,
                                   .backoff = settings_.backoff,
                                   .short_watch = settings_.short_watch};
    const Reflector::Handlers handlers{
        .put = [this](Json object) { put(std::move(object)); },
        .drop = [this](const Key& key) { drop(key); },
        .listed = [this,
                   name_space](const std::set<Key>& listed) { drop_others(name_space, listed); }};
    reflectors_.push_back(std::make_unique<Reflector>(connect(), hooks, part, handlers));
  }
}

void Informer::start() {
  for (const auto& reflector : reflectors_) reflector->start();
}

void Informer::list() {
  for (const auto& reflector : reflectors_) reflector->list();
}

bool Informer::synced() const {
  const bool tried = std::ranges::all_of(
      reflectors_, [](const auto& it) { return it->synced() || it->refused(); });
  return tried && std::ranges::any_of(reflectors_, [](const auto& it) { return it->synced(); });
}

bool Informer::knows(const std::string& name_space) const {
  return std::ranges::any_of(reflectors_, [&](const auto& it) { return it->knows(name_space); });
}

bool Informer::alive(std::chrono::steady_clock::duration lately) const {
  return std::ranges::all_of(reflectors_, [&](const auto& it) { return it->alive(lately); });
}

Informer::Object Informer::unpacked(const Packed& object) {
  return std::make_shared<const Json>(Json::from_msgpack(*object));
}

std::vector<Informer::Object> Informer::unpacked(const std::vector<Packed>& objects) {
  std::vector<Object> result;
  for (const Packed& object : objects) result.push_back(unpacked(object));
  return result;
}

void Informer::put(Json object) {
  if (object.contains("metadata")) object["metadata"].erase("managedFields");
  const Json kept = settings_.keep(std::move(object));
  const Key key = key_of(kept);
  Entry entry{std::make_shared<const std::vector<std::uint8_t>>(Json::to_msgpack(kept)),
              settings_.index(kept)};
  {
    const std::scoped_lock lock(mutex_);
    Entry& known = entries_[key];
    // Not only by version: a server that was restored from a backup gives versions again.
    if (known.object && *known.object == *entry.object) return;
    remove_from_index(key, known);
    if (entry.index) index_[*entry.index].insert(key);
    known = std::move(entry);
  }
  on_change_(kept);
}

void Informer::drop(const Key& key) {
  Packed gone;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    gone = std::move(found->second.object);
    remove_from_index(key, found->second);
    entries_.erase(found);
  }
  on_change_(*unpacked(gone));
}

/// Forgets the objects of a namespace that a list of it did not have. `name_space`: empty for all.
void Informer::drop_others(const std::string& name_space, const std::set<Key>& listed) {
  std::vector<Key> gone;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, entry] : entries_) {
      const bool is_here = name_space.empty() || key.name_space == name_space;
      if (is_here && !listed.contains(key)) gone.push_back(key);
    }
  }
  for (const Key& key : gone) drop(key);
}

/// Needs the lock.
void Informer::remove_from_index(const Key& key, const Entry& entry) {
  if (!entry.index) return;
  const auto found = index_.find(*entry.index);
  found->second.erase(key);
  if (found->second.empty()) index_.erase(found);
}

Informer::Object Informer::find(const Key& key) const {
  Packed object;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    object = found->second.object;
  }
  return unpacked(object);
}

std::vector<Informer::Object> Informer::by_index(const Key& index) const {
  std::vector<Packed> objects;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = index_.find(index);
    if (found == index_.end()) return {};
    for (const Key& key : found->second) objects.push_back(entries_.at(key).object);
  }
  return unpacked(objects);
}

std::vector<Informer::Object> Informer::all() const {
  std::vector<Packed> objects;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, entry] : entries_) {
      if (knows(key.name_space)) objects.push_back(entry.object);
    }
  }
  return unpacked(objects);
}

}  // namespace ganscale::controller
