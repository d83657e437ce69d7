#include "runtime/informer.h"

#include <random>

#include "base/error.h"
#include "base/log.h"
#include "desired/plan.h"

namespace ganscale::controller {
namespace {

constexpr std::chrono::milliseconds kNap{50};
constexpr std::chrono::seconds kShortWatch{5};
constexpr int kGone = 410;

/// The server no longer knows where we stopped: only a new list helps.
class Expired : public std::exception {};

Key training_of(const Json& object) {
  const Json labels = object["metadata"].value("labels", Json::object());
  return {key_of(object).name_space, labels.value(kTrainingLabel, "")};
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
  while (!stopped_) {
    try {
      if (version_.empty()) list();
      const auto began = std::chrono::steady_clock::now();
      watch();
      // A server that is going away ends watches at once, again and again.
      if (std::chrono::steady_clock::now() - began > kShortWatch) settings_.backoff.reset();
      pause(settings_.backoff.next());
    } catch (const Expired&) {
      version_.clear();
    } catch (const std::exception& error) {
      if (stopped_) return;
      log::warning("A watch broke", {{"kind", settings_.resource.plural}, {"what", error.what()}});
      pause(settings_.backoff.next());
    }
  }
}

void Informer::list() {
  const std::string query = settings_.selector.empty() ? "" : "labelSelector=" + settings_.selector;
  std::set<Key> listed;
  const std::string version = client_.list(settings_.resource, query, [&](Json item) {
    listed.insert(key_of(item));
    put(std::move(item));
  });
  std::vector<Key> gone;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, object] : objects_) {
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
  if (!settings_.selector.empty()) path += "&labelSelector=" + settings_.selector;
  LineSplitter lines;
  const HttpResponse end =
      transport_->stream({.method = "GET", .path = path}, [&](std::string_view part) {
        lines.feed(part, [&](std::string_view line) { take(parse_watch_event(line)); });
      });
  if (end.status == kGone) throw Expired();
  if (end.status == 401) transport_->refresh();
  if (end.status != 200) throw_api_error(end, "watch " + settings_.resource.path());
}

void Informer::take(const WatchEvent& event) {
  if (event.kind == WatchKind::kError) {
    if (event.code == kGone) throw Expired();
    throw ApiError(event.code, "", "watch: " + event.object.dump());
  }
  const std::string version = version_of(event.object);
  if (event.kind == WatchKind::kDeleted) {
    drop(key_of(event.object));
  } else if (event.kind != WatchKind::kBookmark) {
    put(event.object);
  }
  if (!version.empty()) version_ = version;
}

void Informer::put(Json object) {
  if (object.contains("metadata")) object["metadata"].erase("managedFields");
  auto kept = std::make_shared<const Json>(settings_.keep(std::move(object)));
  const Key key = key_of(*kept);
  const Key training = training_of(*kept);
  {
    const std::scoped_lock lock(mutex_);
    Object& known = objects_[key];
    if (known && version_of(*known) == version_of(*kept)) return;
    if (known) by_training_[training_of(*known)].erase(key);
    by_training_[training].insert(key);
    known = kept;
  }
  on_change_(*kept);
}

void Informer::drop(const Key& key) {
  Object gone;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = objects_.find(key);
    if (found == objects_.end()) return;
    gone = found->second;
    const auto index = by_training_.find(training_of(*gone));
    index->second.erase(key);
    if (index->second.empty()) by_training_.erase(index);
    objects_.erase(found);
  }
  on_change_(*gone);
}

Informer::Object Informer::find(const Key& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

std::vector<Informer::Object> Informer::of_training(const Key& training) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Object> objects;
  const auto found = by_training_.find(training);
  if (found == by_training_.end()) return objects;
  for (const Key& key : found->second) objects.push_back(objects_.at(key));
  return objects;
}

std::vector<Informer::Object> Informer::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Object> objects;
  for (const auto& [key, object] : objects_) objects.push_back(object);
  return objects;
}

void Informer::pause(std::chrono::milliseconds time) {
  for (auto slept = std::chrono::milliseconds(0); slept < time && !stopped_; slept += kNap) {
    std::this_thread::sleep_for(kNap);
  }
}

}  // namespace ganscale::controller
