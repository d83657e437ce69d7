#include "kube/informer.h"

#include <algorithm>
#include <random>

#include "base/error.h"
#include "base/log.h"
#include "kube/sleep.h"
#include "object/lookup.h"

namespace ganscale::controller {
namespace {

constexpr std::chrono::seconds kShortWatch{5};
constexpr int kGone = 410;

/// The server does not know the version where we stopped, or not any more: only a new list helps.
class Expired : public std::exception {};

/// Whether a Status says so. After a restore from a backup the server's versions are older than
/// ours, and the answer is 504 with the cause ResourceVersionTooLarge.
bool is_unknown_version(int code, const Json& status) {
  if (code == kGone) return true;
  const Json causes = list_at(status, "/details/causes");
  return std::ranges::any_of(causes, [](const Json& cause) {
    return text_at(cause, "/reason") == "ResourceVersionTooLarge";
  });
}

/// Whether a version comes before another. Versions of one resource are numbers of any length.
bool is_older(const std::string& version, const std::string& than) {
  return version.size() != than.size() ? version.size() < than.size() : version < than;
}

/// Returns the selectors as part of a query; empty: all objects.
std::string query_of(const Informer::Settings& settings) {
  std::string query = settings.selector.empty() ? "" : "labelSelector=" + settings.selector;
  if (settings.field_selector.empty()) return query;
  return query + (query.empty() ? "" : "&") + "fieldSelector=" + settings.field_selector;
}

std::string version_of(const Json& object) {
  return object["metadata"].value("resourceVersion", "");
}

}  // namespace

Informer::Informer(std::unique_ptr<Transport> transport, Client::Hooks hooks, Settings settings,
                   std::function<void(const Json&)> on_change)
    : transport_(std::move(transport)),
      client_(*transport_, std::move(hooks)),
      settings_(std::move(settings)),
      on_change_(std::move(on_change)) {
  if (!settings_.keep) settings_.keep = [](Json object) { return object; };
  if (!settings_.index) settings_.index = [](const Json&) { return std::nullopt; };
}

Informer::~Informer() {
  stopped_ = true;
  transport_->stop();
  if (thread_.joinable()) thread_.join();
}

void Informer::start() {
  thread_ = std::thread([this] { run(); });
}

void Informer::run() {
  const Stopped stopped = [this] { return stopped_.load(); };
  while (!stopped_) {
    heard_ = Clock::now();
    try {
      if (version_.empty()) list();
      const auto began = Clock::now();
      watch();
      // A server that is going away ends watches at once, again and again.
      if (Clock::now() - began > kShortWatch) settings_.backoff.reset();
      sleep_unless(stopped, settings_.backoff.next());
    } catch (const Expired&) {
      version_.clear();
    } catch (const std::exception& error) {
      if (stopped_) return;
      log::warning("A watch was interrupted",
                   {{"kind", settings_.resource.plural}, {"what", error.what()}});
      sleep_unless(stopped, settings_.backoff.next());
    }
  }
}

void Informer::list() {
  std::set<Key> listed;
  const std::string version = client_.list(settings_.resource, query_of(settings_), [&](Json item) {
    heard_ = Clock::now();
    listed.insert(key_of(item));
    put(std::move(item));
  });
  std::vector<Key> gone;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, entry] : entries_) {
      if (!listed.contains(key)) gone.push_back(key);
    }
  }
  for (const Key& key : gone) drop(key);
  version_ = version;
  synced_ = true;
}

void Informer::watch() {
  std::minstd_rand random{std::random_device{}()};
  const auto least = settings_.watch_seconds.count();
  const auto seconds = std::uniform_int_distribution<std::int64_t>(least, 2 * least)(random);
  std::string path = settings_.resource.path() +
                     "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version_ +
                     "&timeoutSeconds=" + std::to_string(seconds);
  if (const std::string query = query_of(settings_); !query.empty()) path += "&" + query;
  LineSplitter lines;
  const HttpResponse end =
      transport_->stream({.method = "GET", .path = path}, [&](std::string_view part) {
        heard_ = Clock::now();
        lines.feed(part, [&](std::string_view line) { take(parse_watch_event(line)); });
      });
  if (is_unknown_version(end.status, parse_json(end.body))) throw Expired();
  if (end.status == 401) transport_->refresh();
  if (end.status != 200) throw_api_error(end, "watch " + settings_.resource.path());
}

void Informer::take(const WatchEvent& event) {
  if (event.kind == WatchKind::kError) {
    if (is_unknown_version(event.code, event.object)) throw Expired();
    throw ApiError(event.code, "", "watch: " + event.object.dump());
  }
  const std::string version = version_of(event.object);
  // The server was restored: it would keep silent about all that is older than what we know.
  if (!version.empty() && is_older(version, version_)) throw Expired();
  if (event.kind == WatchKind::kDeleted) {
    drop(key_of(event.object));
  } else if (event.kind != WatchKind::kBookmark) {
    put(event.object);
  }
  if (!version.empty()) version_ = version;
}

void Informer::put(Json object) {
  if (object.contains("metadata")) object["metadata"].erase("managedFields");
  const auto kept = std::make_shared<const Json>(settings_.keep(std::move(object)));
  const Key key = key_of(*kept);
  const Entry entry{kept, settings_.index(*kept)};
  {
    const std::scoped_lock lock(mutex_);
    Entry& known = entries_[key];
    if (known.object && version_of(*known.object) == version_of(*kept)) return;
    remove_from_index(key, known);
    if (entry.index) index_[*entry.index].insert(key);
    known = entry;
  }
  on_change_(*kept);
}

void Informer::drop(const Key& key) {
  Object gone;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    gone = found->second.object;
    remove_from_index(key, found->second);
    entries_.erase(found);
  }
  on_change_(*gone);
}

/// Needs the lock.
void Informer::remove_from_index(const Key& key, const Entry& entry) {
  if (!entry.index) return;
  const auto found = index_.find(*entry.index);
  found->second.erase(key);
  if (found->second.empty()) index_.erase(found);
}

Informer::Object Informer::find(const Key& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.object;
}

std::vector<Informer::Object> Informer::by_index(const Key& index) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Object> objects;
  const auto found = index_.find(index);
  if (found == index_.end()) return objects;
  for (const Key& key : found->second) objects.push_back(entries_.at(key).object);
  return objects;
}

std::vector<Informer::Object> Informer::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Object> objects;
  for (const auto& [key, entry] : entries_) objects.push_back(entry.object);
  return objects;
}

}  // namespace ganscale::controller
