#pragma once

#include <functional>
#include <memory>
#include <string>

namespace ganscale::http {
class Server;
}

namespace ganscale::controller {

/// Answers GET /healthz and GET /readyz with 200 while `alive` or `ready` says so, else with 503.
class HealthServer {
 public:
  struct Checks {
    std::function<bool()> ready;
    std::function<bool()> alive = [] { return true; };
  };

  /// address: an IPv4 address and a port, 0.0.0.0:8081. Throws ConfigError if it is not available.
  HealthServer(const std::string& address, const Checks& checks);
  ~HealthServer();

 private:
  std::unique_ptr<http::Server> server_;
};

}  // namespace ganscale::controller
