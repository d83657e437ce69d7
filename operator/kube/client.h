#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "api/gan_training.h"
#include "api/json.h"
#include "kube/transport.h"

namespace ganscale::controller {

/// The API server refused, or failed: its Status object.
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

/// A kind of objects and where the API server has them.
struct Resource {
  std::string api_version;  ///< v1, or group/version
  std::string plural;       ///< pods

  /// /api/v1/namespaces/NS/pods; of all namespaces for an empty one.
  std::string path(const std::string& name_space = "") const;
  std::string path(const Key& key) const { return path(key.name_space) + "/" + key.name; }
};

namespace resource {
inline const Resource kTrainings{"ganscale.dev/v1alpha1", "gantrainings"};
inline const Resource kMpiJobs{"kubeflow.org/v2beta1", "mpijobs"};
inline const Resource kPods{"v1", "pods"};
inline const Resource kConfigMaps{"v1", "configmaps"};
inline const Resource kSecrets{"v1", "secrets"};
inline const Resource kClaims{"v1", "persistentvolumeclaims"};
inline const Resource kNetworkPolicies{"networking.k8s.io/v1", "networkpolicies"};
inline const Resource kBudgets{"policy/v1", "poddisruptionbudgets"};
inline const Resource kJobs{"batch/v1", "jobs"};
inline const Resource kEvents{"events.k8s.io/v1", "events"};
inline const Resource kLeases{"coordination.k8s.io/v1", "leases"};
}  // namespace resource

/// Speaks to the API server. 429 is waited out as Retry-After says, 5xx and broken connections are
/// tried again a few times, 401 once with the credentials read anew. Any thread may call.
class Client {
 public:
  struct Hooks {
    /// Called with each answer and how long it took; code 0: there was none.
    std::function<void(const std::string& method, int code, std::chrono::duration<double> took)>
        on_request = [](const std::string&, int, std::chrono::duration<double>) {};
    std::function<void(std::chrono::milliseconds)> sleep;  ///< default: really sleeps
  };

  Client(Transport& transport, Hooks hooks);

  /// Returns an object; nothing if it does not exist. Throws ApiError, TransportError, as all do.
  std::optional<Json> get(const Resource& resource, const Key& key);
  /// Returns every page of a list: items by `on_item`, and the list's resource version.
  std::string list(const Resource& resource, const std::string& query,
                   const std::function<void(Json)>& on_item);
  Json create(const Resource& resource, const Json& object);
  /// Server-side apply by our field manager, by force.
  Json apply(const Resource& resource, const Json& object);
  /// Replaces an object, or its status (PUT): refused with 409 if it changed since it was read.
  Json update(const Resource& resource, const Json& object, bool status);
  /// A merge patch.
  Json patch(const Resource& resource, const Key& key, const Json& patch);
  /// Deletes an object and, in the background, what it owns. One that is gone is no error; one of
  /// the same name with another uid stays.
  void remove(const Resource& resource, const Key& key, const std::string& uid);

 private:
  HttpResponse call(const HttpRequest& request);
  HttpResponse call_once(const HttpRequest& request);

  Transport& transport_;
  Hooks hooks_;
};

/// Throws ApiError of an answer's Status object.
[[noreturn]] void throw_api_error(const HttpResponse& response, const std::string& what);

}  // namespace ganscale::controller
