#include "controller/health_server.h"

#include <system_error>

#include "base/error.h"
#include "config/units.h"
#include "http/server.h"
#include "wire/names.h"

namespace ganscale::controller {
namespace {

int status_of(const std::string& path, const HealthServer::Checks& checks) {
  if (path == wire::path::kHealth) return checks.alive() ? 200 : 503;
  if (path == wire::path::kReady) return checks.ready() ? 200 : 503;
  return 404;
}

/// Returns the port of "0.0.0.0:8081", -1 without one.
int port_of(const std::string& address, std::size_t colon) {
  if (colon == std::string::npos) return -1;
  const auto port = config::parse_integer(address.substr(colon + 1));
  return port && *port >= 0 && *port <= 65535 ? static_cast<int>(*port) : -1;
}

}  // namespace

HealthServer::HealthServer(const std::string& address, const Checks& checks) {
  const std::size_t colon = address.rfind(':');
  const int port = port_of(address, colon);
  if (port < 0) {
    throw ConfigError(
        "--health-address: expected an IPv4 address and a port, as in 0.0.0.0:8081: " + address);
  }
  const auto answer = [checks](const http::Head& head, const std::string& /*body*/,
                               const http::Handlers::Send& send) {
    send({.status = status_of(head.path, checks), .media_type = "", .body = ""});
  };
  try {
    server_ = std::make_unique<http::Server>(
        address.substr(0, colon), port,
        http::Handlers{.refuse = http::refuse_all_but_get, .answer = answer});
  } catch (const std::system_error& error) {
    throw ConfigError("--health-address: can't listen on " + address + ": " +
                      error.code().message());
  }
}

HealthServer::~HealthServer() = default;

}  // namespace ganscale::controller
