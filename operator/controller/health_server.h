#pragma once

#include <functional>
#include <memory>
#include <string>

namespace ganscale::controller {

/// Answers GET /healthz with 200, and GET /readyz with 200 while `ready` says so, else 503.
class HealthServer {
 public:
  /// address: 0.0.0.0:8081. Throws ConfigError if it can't be had.
  HealthServer(const std::string& address, std::function<bool()> ready);
  ~HealthServer();

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace ganscale::controller
