#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "telemetry/family.h"

namespace ganscale::telemetry {

/// Address and port of GET /metrics.
struct Endpoint {
  std::string address = "0.0.0.0";
  int port = 0;  ///< 0: any free one
};

/// Serves what `collect` returns at GET /metrics until it is destroyed.
///
/// `collect` is called on the exposer's threads, several at a time. A client has half a second for
/// its request, so those that never finish theirs delay others by seconds at most. A build without
/// services (GANSCALE_SERVICES=OFF) warns once and serves nothing.
class Exposer {
 public:
  using Collect = std::function<std::vector<Family>()>;

  /// Throws ConfigError if the address can't be bound, for example because the port is in use.
  Exposer(const Endpoint& endpoint, Collect collect);
  /// Takes up to two seconds: civetweb checks that often whether to stop.
  ~Exposer();

  /// Returns the port; 0 in a build without services.
  int port() const;

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

}  // namespace ganscale::telemetry
