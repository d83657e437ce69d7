#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "api/node_profile.h"
#include "api/worker_schema.h"
#include "base/error.h"
#include "kube/kubeconfig.h"
#include "kube/lease.h"
#include "telemetry/exposer.h"

namespace ganscale::controller {

struct ControllerSettings {
  ClusterAccess access;
  std::string name_space;  ///< the operator's own: Lease, token key
  std::string identity;    ///< of this process among its peers
  LeaseTimes lease;
  int workers = 2;                         ///< more would only wait for the API server
  std::chrono::seconds poll_interval{15};  ///< of a running training's status
  telemetry::Endpoint metrics;
  std::string health_address = "0.0.0.0:8081";
};

/// Runs the operator until `stopped` says so. Ends the process with kPeerLost, at once, when the
/// lease is lost: another leads then, and nothing more may be written.
ExitCode run_controller(const ControllerSettings& settings, const NodeProfiles& profiles,
                        const WorkerSchema& schema, const std::function<bool()>& stopped);

}  // namespace ganscale::controller
