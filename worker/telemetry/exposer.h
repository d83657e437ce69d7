#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "telemetry/family.h"

namespace ganscale::telemetry {

/// Where GET /metrics is answered.
struct Endpoint {
  std::string address = "0.0.0.0";
  int port = 0;  ///< 0: any free one
};

/// Answers GET /metrics with what `collect` returns, until it is destroyed.
///
/// `collect` is called on the exposer's own threads, at most two at a time. A build without
/// services (GANSCALE_SERVICES=OFF) warns once and answers nothing.
class Exposer {
 public:
  using Collect = std::function<std::vector<Family>()>;

  /// Throws ConfigError if the address can't be bound: another program has the port, for example.
  Exposer(const Endpoint& endpoint, Collect collect);
  /// Takes up to two seconds: civetweb looks that often whether it shall end.
  ~Exposer();

  /// The port that is answered, or 0 in a build without services.
  int port() const;

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

}  // namespace ganscale::telemetry
