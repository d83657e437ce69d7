#include "base/log.h"
#include "control/server.h"

namespace ganscale::control {

struct Server::Listener {};

Server::Server(const ServerConfig& config) {
  log::warning("This build has no network services: there is no control port",
               {{"port", config.port}});
}

Server::~Server() = default;

void Server::set_status(const wire::JobStatus& /*status*/) {}

std::optional<wire::Command> Server::next_command() { return std::nullopt; }

int Server::port() const { return 0; }

}  // namespace ganscale::control
