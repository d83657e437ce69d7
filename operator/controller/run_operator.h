#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "controller/kind.h"
#include "controller/leader.h"
#include "telemetry/exposer.h"

namespace ganscale::controller {

inline constexpr const char* kDefaultLeaseName = "ganscale-operator";

struct OperatorSettings {
  /// Connects to the API server; requests idle for longer than `idle` fail.
  std::function<std::unique_ptr<Transport>(std::chrono::seconds idle)> connect;
  std::string name_space;                      ///< the operator's own, which holds its Lease
  std::string lease_name = kDefaultLeaseName;  ///< shared by the operators of which one is to lead
  std::vector<std::string> watched{};          ///< namespaces that it looks after; empty: all
  std::string identity;                        ///< of this process among its peers
  LeaseTimes lease{};
  int workers = 2;  ///< for each controller
  /// How long to wait for the rights in a namespace where some objects can't be listed.
  std::chrono::seconds look_for_rights{30};
  telemetry::Endpoint metrics{};
  std::string health_address = "0.0.0.0:8081";
};

/// Runs a controller for each kind until `stopped` returns true: syncs the informers, waits to
/// become the leader, reconciles. Ends the process immediately with kPeerLost if the Lease is lost
/// or could not be renewed in time, even while requests hang: another operator may lead, and
/// nothing more may be written.
ExitCode run_operator(const OperatorSettings& settings, const std::vector<KindEntry>& kinds,
                      const Stopped& stopped);

}  // namespace ganscale::controller
