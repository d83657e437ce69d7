#pragma once

#include <functional>
#include <memory>
#include <string>

namespace ganscale::controller {

/// Answers GET /healthz and GET /readyz with 200 while `alive` or `ready` says so, else with 503.
class HealthServer {
 public:
  struct Checks {
    std::function<bool()> ready;
    std::function<bool()> alive = [] { return true; };
  };

  /// address: 0.0.0.0:8081. Throws ConfigError if it is not available.
  HealthServer(const std::string& address, const Checks& checks);
  ~HealthServer();

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace ganscale::controller
