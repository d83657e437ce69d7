#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "telemetry/family.h"

namespace ganscale::telemetry {

/// Address and port of GET /metrics.
struct Endpoint {
  std::string address = "0.0.0.0";  ///< IPv4
  int port = 0;                     ///< 0: any free one
  /// Where they come from, for errors.
  std::string address_setting = "telemetry.bind_address";
  std::string port_setting = "telemetry.metrics_port";
};

/// Serves what `collect` returns at GET /metrics until it is destroyed.
///
/// `collect` is called on the exposer's thread and should not wait. Clients that never finish their
/// requests do not delay others (http/server.h). A build without services (GANSCALE_SERVICES=OFF)
/// warns once and serves nothing.
class Exposer {
 public:
  using Collect = std::function<std::vector<Family>()>;

  /// Throws ConfigError if the address can't be bound, for example because the port is in use.
  Exposer(const Endpoint& endpoint, Collect collect);
  ~Exposer();

  /// Returns the port; 0 in a build without services.
  int port() const;

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

}  // namespace ganscale::telemetry
