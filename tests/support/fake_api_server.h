#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kube/client.h"
#include "object/lookup.h"

namespace ganscale::controller {

/// An API server in memory: what client, informers and reconcilers need of one, without a schema.
/// Any thread may call. Connections must not outlive it.
class FakeApiServer {
 public:
  std::unique_ptr<Transport> connect() { return std::make_unique<Connection>(*this); }

  /// Answers the next request of this method whose path holds these words with an error.
  void fail_next(const std::string& method, const std::string& words, int code,
                 const std::string& reason = "", const std::string& message = "planted") {
    const std::scoped_lock lock(mutex_);
    const Json body = {{"kind", "Status"}, {"reason", reason}, {"message", message}};
    failures_.push_back({method, words, {.status = code, .body = body.dump(), .retry_after = {}}});
  }

  /// Answers the next request of this method whose path holds these words with 429: to be sent
  /// again after a pause.
  void put_off_next(const std::string& method, const std::string& words,
                    std::chrono::seconds pause) {
    const std::scoped_lock lock(mutex_);
    failures_.push_back({method, words, {.status = 429, .body = {}, .retry_after = pause}});
  }

  /// Lets requests whose path holds these words hang until resume(), as behind a load balancer that
  /// lost a connection.
  void hang(const std::string& words) {
    const std::scoped_lock lock(mutex_);
    hanging_ = words;
  }
  void resume() {
    const std::scoped_lock lock(mutex_);
    hanging_.reset();
    changed_.notify_all();
  }

  /// Refuses requests whose path holds these words, and ends such watches, until allow(): as
  /// without rights.
  void forbid(const std::string& words) {
    const std::scoped_lock lock(mutex_);
    forbidden_ = words;
    changed_.notify_all();
  }
  void allow() {
    const std::scoped_lock lock(mutex_);
    forbidden_.reset();
  }

  /// Puts an object where it belongs, as another client would.
  void put(const Resource& resource, Json object) {
    const std::scoped_lock lock(mutex_);
    const std::string path = resource.path(key_of(object));
    store(path, std::move(object));
  }
  /// Applies a merge patch to an object, as another client would.
  void edit(const Resource& resource, const Key& key, const Json& patch) {
    const std::scoped_lock lock(mutex_);
    Json object = objects_.at(resource.path(key));
    object.merge_patch(patch);
    store(resource.path(key), std::move(object));
  }
  /// Deletes an object, as another client would: one with finalizers is marked alone.
  void remove(const Resource& resource, const Key& key) {
    const std::scoped_lock lock(mutex_);
    erase(resource.path(key));
  }
  /// Returns an object; null if there is none.
  Json get(const Resource& resource, const Key& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = objects_.find(resource.path(key));
    return found == objects_.end() ? Json() : found->second;
  }
  /// Returns how many requests of this method had a path with these words.
  std::size_t count(const std::string& method, const std::string& words) const {
    const std::scoped_lock lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(requests_, [&](const auto& it) {
      return it.method == method && it.path.find(words) != std::string::npos;
    }));
  }
  std::vector<HttpRequest> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  struct Failure {
    std::string method;
    std::string words;
    HttpResponse answer;
  };
  struct Change {
    int version;
    std::string path;
    std::string line;
  };

  class Connection : public Transport {
   public:
    explicit Connection(FakeApiServer& server) : server_(server) {}
    HttpResponse send(const HttpRequest& request) override { return server_.answer(request); }
    HttpResponse stream(const HttpRequest& request,
                        const std::function<void(std::string_view)>& on_bytes) override {
      return server_.watch(request, stopped_, on_bytes);
    }
    void stop() override {
      const std::scoped_lock lock(server_.mutex_);
      stopped_ = true;
      server_.changed_.notify_all();
    }
    void refresh() override {}

   private:
    FakeApiServer& server_;
    bool stopped_ = false;
  };

  static std::string without_query(const std::string& path) {
    return path.substr(0, path.find('?'));
  }
  static HttpResponse error(int code, const std::string& reason) {
    return {.status = code,
            .body = Json({{"kind", "Status"}, {"reason", reason}, {"message", reason}}).dump(),
            .retry_after = {}};
  }
  static HttpResponse found(const Json& object, int code = 200) {
    return {.status = code, .body = object.dump(), .retry_after = {}};
  }

  HttpResponse answer(const HttpRequest& request) {
    std::unique_lock lock(mutex_);
    requests_.push_back(request);
    changed_.wait(lock,
                  [&] { return !hanging_ || request.path.find(*hanging_) == std::string::npos; });
    if (is_forbidden(request)) return error(403, "Forbidden");
    const auto planted = std::ranges::find_if(failures_, [&](const Failure& it) {
      return it.method == request.method && request.path.find(it.words) != std::string::npos;
    });
    if (planted != failures_.end()) {
      const HttpResponse answer = planted->answer;
      failures_.erase(planted);
      return answer;
    }
    if (request.path.find("limit=") != std::string::npos) return list(without_query(request.path));
    const std::string path = without_query(request.path);
    if (request.method == "GET") {
      return objects_.contains(path) ? found(objects_.at(path)) : error(404, "NotFound");
    }
    if (request.method == "DELETE") return remove_as(path, Json::parse(request.body));
    return write(request, path);
  }

  /// Needs the lock.
  bool is_forbidden(const HttpRequest& request) const {
    return forbidden_ && request.path.find(*forbidden_) != std::string::npos;
  }

  HttpResponse write(const HttpRequest& request, std::string path) {
    const Json body = Json::parse(request.body);
    if (request.method == "POST") {
      path += "/" + key_of(body).name;
      if (objects_.contains(path)) return error(409, "AlreadyExists");
      return found(store(path, body), 201);
    }
    const bool is_status = path.ends_with("/status");
    if (is_status) path.resize(path.size() - std::string("/status").size());
    const bool is_apply = request.content_type.find("apply") != std::string::npos;
    if (!objects_.contains(path) && !is_apply) return error(404, "NotFound");
    if (request.path.find("dryRun=All") != std::string::npos) return found(objects_.at(path));
    return change(request, path, is_status);
  }

  HttpResponse change(const HttpRequest& request, const std::string& path, bool is_status) {
    const Json body = Json::parse(request.body);
    Json object = objects_.contains(path) ? objects_.at(path) : Json::object();
    const std::string version = text_at(body, "/metadata/resourceVersion");
    if (!version.empty() && version != object["metadata"]["resourceVersion"]) {
      return error(409, "Conflict");
    }
    const std::string uid = text_at(body, "/metadata/uid");
    if (!uid.empty() && uid != object["metadata"].value("uid", "")) return error(409, "Conflict");
    if (is_status) {
      object["status"] = body["status"];
    } else if (request.method == "PUT") {
      object = body;
    } else {
      object.merge_patch(body);
    }
    return found(store(path, object));
  }

  HttpResponse remove_as(const std::string& path, const Json& options) {
    const auto known = objects_.find(path);
    if (known == objects_.end()) return error(404, "NotFound");
    const Json uid = options.value(Json::json_pointer("/preconditions/uid"), Json());
    if (!uid.is_null() && uid != known->second["metadata"]["uid"]) return error(409, "Conflict");
    const Json version =
        options.value(Json::json_pointer("/preconditions/resourceVersion"), Json());
    if (!version.is_null() && version != known->second["metadata"]["resourceVersion"]) {
      return error(409, "Conflict");
    }
    erase(path);
    return found(Json::object());
  }

  /// Needs the lock, as all that follow. An object that is marked goes with its last finalizer.
  Json store(const std::string& path, Json object) {
    const bool is_new = !objects_.contains(path);
    Json& metadata = object["metadata"];
    metadata["resourceVersion"] = std::to_string(++version_);
    if (!metadata.contains("uid")) metadata["uid"] = "uid-" + std::to_string(version_);
    if (object.contains("stringData")) object["data"] = object["stringData"];  // not as base64
    if (!is_new && object.value("spec", Json()) != objects_.at(path).value("spec", Json())) {
      metadata["generation"] = metadata.value("generation", 1) + 1;
    }
    if (metadata.contains("deletionTimestamp") &&
        metadata.value("finalizers", Json::array()).empty()) {
      objects_.erase(path);
      tell("DELETED", path, object);
    } else {
      objects_[path] = object;
      tell(is_new ? "ADDED" : "MODIFIED", path, object);
    }
    return object;
  }

  void erase(const std::string& path) {
    Json object = objects_.at(path);
    object["metadata"]["deletionTimestamp"] = "2025-06-15T15:06:40Z";
    store(path, object);
  }

  void tell(const char* type, const std::string& path, const Json& object) {
    changes_.push_back({version_, path, Json({{"type", type}, {"object", object}}).dump() + "\n"});
    changed_.notify_all();
  }

  /// Whether an object of this path is in a list, of its namespace or of all:
  /// /api/v1/namespaces/NS/pods/a in /api/v1/namespaces/NS/pods and in /api/v1/pods.
  static bool is_in(const std::string& path, const std::string& collection) {
    if (collection.find("/namespaces/") != std::string::npos) {
      return path.starts_with(collection + "/");
    }
    const std::string group = collection.substr(0, collection.rfind('/'));
    const std::string plural = collection.substr(collection.rfind('/'));
    const std::string rest = path.substr(0, path.rfind('/'));
    return path.starts_with(group + "/namespaces/") && rest.ends_with(plural);
  }

  HttpResponse list(const std::string& collection) {
    Json items = Json::array();
    for (const auto& [path, object] : objects_) {
      if (is_in(path, collection)) items.push_back(object);
    }
    return found({{"metadata", {{"resourceVersion", std::to_string(version_)}}}, {"items", items}});
  }

  HttpResponse watch(const HttpRequest& request, const bool& stopped,
                     const std::function<void(std::string_view)>& on_bytes) {
    const std::string collection = without_query(request.path);
    const auto at = request.path.find("resourceVersion=") + std::string("resourceVersion=").size();
    int seen = std::stoi(request.path.substr(at));
    std::unique_lock lock(mutex_);
    while (!stopped && !is_forbidden(request)) {
      std::vector<std::string> lines;
      for (const Change& change : changes_) {
        if (change.version > seen && is_in(change.path, collection)) lines.push_back(change.line);
      }
      seen = version_;
      lock.unlock();
      for (const std::string& line : lines) on_bytes(line);
      lock.lock();
      changed_.wait(lock, [&] { return stopped || is_forbidden(request) || version_ > seen; });
    }
    if (is_forbidden(request)) return error(403, "Forbidden");
    return {.status = 200, .body = {}, .retry_after = {}};
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Json> objects_;  // by path
  std::vector<Change> changes_;
  std::vector<HttpRequest> requests_;
  std::vector<Failure> failures_;
  std::optional<std::string> hanging_;
  std::optional<std::string> forbidden_;
  int version_ = 100;
};

/// Hooks of a client that never sleeps.
inline Client::Hooks hooks_without_sleep() {
  Client::Hooks hooks;
  hooks.sleep = [](std::chrono::milliseconds) {};
  return hooks;
}

}  // namespace ganscale::controller
