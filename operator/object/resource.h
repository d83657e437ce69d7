#pragma once

#include <string>

#include "object/key.h"

namespace ganscale::controller {

/// A resource type of the API server.
struct Resource {
  std::string api_version;  ///< v1, or group/version
  std::string plural;       ///< pods

  /// Returns /api/v1/namespaces/NS/pods, or /api/v1/pods for an empty namespace.
  std::string path(const std::string& name_space = "") const;
  std::string path(const Key& key) const;
};

/// Kubernetes' built-in resources; others are declared where they are used.
namespace resource {
inline const Resource kPods{"v1", "pods"};
inline const Resource kNodes{"v1", "nodes"};
inline const Resource kConfigMaps{"v1", "configmaps"};
inline const Resource kSecrets{"v1", "secrets"};
inline const Resource kClaims{"v1", "persistentvolumeclaims"};
inline const Resource kNetworkPolicies{"networking.k8s.io/v1", "networkpolicies"};
inline const Resource kBudgets{"policy/v1", "poddisruptionbudgets"};
inline const Resource kJobs{"batch/v1", "jobs"};
inline const Resource kEvents{"events.k8s.io/v1", "events"};
inline const Resource kLeases{"coordination.k8s.io/v1", "leases"};
}  // namespace resource

}  // namespace ganscale::controller
