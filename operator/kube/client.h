#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "kube/transport.h"
#include "object/json.h"
#include "object/resource.h"

namespace ganscale::controller {

/// An error response of the API server, from its Status object.
class ApiError : public std::runtime_error {
 public:
  ApiError(int code, std::string reason, const std::string& message)
      : std::runtime_error(message), code_(code), reason_(std::move(reason)) {}
  int code() const { return code_; }
  const std::string& reason() const { return reason_; }

 private:
  int code_;
  std::string reason_;
};

/// A client of the API server. Retries 429 after Retry-After, 5xx and broken connections a few
/// times, unless its hooks say otherwise, and 401 once with reloaded credentials. Thread-safe.
class Client {
 public:
  struct Hooks {
    /// Called with each answer and how long it took; code 0: there was none.
    std::function<void(const std::string& method, int code, std::chrono::duration<double> took)>
        on_request = [](const std::string&, int, std::chrono::duration<double>) {};
    std::function<void(std::chrono::milliseconds)> sleep{};  ///< default: sleeps
    /// Asked before each request that may change something: false if it must not be sent any more.
    std::function<bool()> may_write = [] { return true; };
    bool tries_again = true;  ///< false: a request is sent once
  };

  Client(Transport& transport, Hooks hooks);

  /// Returns an object; nothing if it does not exist. Throws ApiError, TransportError, as all do.
  std::optional<Json> get(const Resource& resource, const Key& key);
  /// Returns every page of a list: items by `on_item`, with apiVersion and kind, and the list's
  /// resource version. `name_space`: empty for all.
  std::string list(const Resource& resource, const std::string& name_space,
                   const std::string& query, const std::function<void(Json)>& on_item);
  Json create(const Resource& resource, const Json& object);
  /// Server-side apply by our field manager, by force.
  Json apply(const Resource& resource, const Json& object);
  /// Returns apiVersion, kind and metadata of an object; nothing if it does not exist. For objects
  /// that may be written but not read: the request is a patch that changes nothing.
  std::optional<Json> metadata(const Resource& resource, const Key& key);
  /// Replaces an object, or its status (PUT): refused with 409 if it changed since it was read.
  Json update(const Resource& resource, const Json& object, bool status);
  /// A merge patch.
  Json patch(const Resource& resource, const Key& key, const Json& patch);
  /// Deletes an object and, in the background, what it owns. One that is gone is not an error; one
  /// of the same name with another uid stays, and, if `version` is given, one that was changed
  /// since.
  void remove(const Resource& resource, const Key& key, const std::string& uid,
              const std::string& version = "");

 private:
  HttpResponse call(const HttpRequest& request);
  HttpResponse call_once(const HttpRequest& request);

  Transport& transport_;
  Hooks hooks_;
};

/// Throws ApiError of an answer's Status object.
[[noreturn]] void throw_api_error(const HttpResponse& response, const std::string& what);

}  // namespace ganscale::controller
