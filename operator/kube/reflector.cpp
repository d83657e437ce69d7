#include "kube/reflector.h"

#include <algorithm>
#include <optional>
#include <random>

#include "base/error.h"
#include "base/log.h"
#include "kube/sleep.h"
#include "object/lookup.h"

namespace ganscale::controller {
namespace {

// The server sends something to a watch about once a minute, unless nothing has changed since the
// list.
constexpr std::chrono::seconds kQuiet{60};
constexpr int kForbidden = 403;
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
std::string query_of(const Reflector::Settings& settings) {
  std::string query = settings.selector.empty() ? "" : "labelSelector=" + settings.selector;
  if (settings.field_selector.empty()) return query;
  return query + (query.empty() ? "" : "&") + "fieldSelector=" + settings.field_selector;
}

}  // namespace

Reflector::Reflector(std::unique_ptr<Transport> transport, Client::Hooks hooks, Settings settings,
                     Handlers handlers)
    : transport_(std::move(transport)),
      client_(*transport_, std::move(hooks)),
      settings_(std::move(settings)),
      handlers_(std::move(handlers)) {}

Reflector::~Reflector() {
  stopped_ = true;
  transport_->stop();
  if (thread_.joinable()) thread_.join();
}

void Reflector::start() {
  thread_ = std::thread([this] { run(); });
}

void Reflector::run() {
  const Stopped stopped = [this] { return stopped_.load(); };
  while (!stopped_) {
    heard_ = Clock::now();
    // A server that is going away ends watches at once, again and again. A watch of a quiet kind
    // breaks again and again, too, but after a while: then the next one need not wait longer.
    if (list_and_watch() > settings_.short_watch) settings_.backoff.reset();
    sleep_unless(stopped, settings_.backoff.next());
  }
}

/// Lists all objects, unless it knows where to go on, and watches them. Returns for how long it
/// watched, however that ended.
Reflector::Clock::duration Reflector::list_and_watch() {
  std::optional<Clock::time_point> began;
  try {
    if (version_.empty() && !try_list()) return Clock::duration::zero();
    began = Clock::now();
    watch();
  } catch (const Expired&) {
    version_.clear();
  } catch (const std::exception& error) {
    if (!stopped_ && (!began || Clock::now() - heard_.load() < kQuiet)) {
      log::warning("A watch was interrupted",
                   {{"kind", settings_.resource.plural}, {"what", error.what()}});
    }
    // The server may come back from a backup. Its versions are then older than ours: it would be
    // silent until it has reached ours again, and never report what was before.
    version_.clear();
  }
  return began ? Clock::now() - *began : Clock::duration::zero();
}

/// Lists all objects. Returns false if that is refused; without rights in any namespace it throws,
/// since there is nothing else to serve.
bool Reflector::try_list() {
  try {
    list();
  } catch (const ApiError& error) {
    if (error.code() != kForbidden || settings_.name_space.empty()) throw;
    if (!refused_.exchange(true)) {
      log::warning("Can't list a namespace, and serves nothing there until it can",
                   {{"kind", settings_.resource.plural},
                    {"namespace", settings_.name_space},
                    {"what", error.what()}});
    }
    return false;
  }
  return true;
}

void Reflector::list() {
  std::set<Key> listed;
  const std::string version =
      client_.list(settings_.resource, settings_.name_space, query_of(settings_), [&](Json item) {
        heard_ = Clock::now();
        listed.insert(key_of(item));
        handlers_.put(std::move(item));
      });
  handlers_.listed(listed);
  version_ = version;
  synced_ = true;
  refused_ = false;
}

void Reflector::watch() {
  std::minstd_rand random{std::random_device{}()};
  const auto least = settings_.watch_seconds.count();
  const auto seconds = std::uniform_int_distribution<std::int64_t>(least, 2 * least)(random);
  const std::string all = settings_.resource.path(settings_.name_space);
  std::string path = all + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version_ +
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
  if (end.status != 200) throw_api_error(end, "watch " + all);
}

void Reflector::take(const WatchEvent& event) {
  if (event.kind == WatchKind::kError) {
    if (is_unknown_version(event.code, event.object)) throw Expired();
    throw ApiError(event.code, "", "watch: " + event.object.dump());
  }
  const std::string version = text_at(event.object, "/metadata/resourceVersion");
  // The server was restored: it would keep silent about all that is older than what we know.
  if (!version.empty() && is_older(version, version_)) throw Expired();
  if (event.kind == WatchKind::kDeleted) {
    handlers_.drop(key_of(event.object));
  } else if (event.kind != WatchKind::kBookmark) {
    handlers_.put(event.object);
  }
  if (!version.empty()) version_ = version;
}

}  // namespace ganscale::controller
