#pragma once

#include <string>

#include "support/loopback_server.h"

namespace ganscale {

/// Returns a port of 127.0.0.1 that was free a moment ago.
inline int free_port() {
  const LoopbackServer server([](const std::string&, const LoopbackServer::Write&) {});
  return std::stoi(server.url().substr(server.url().rfind(':') + 1));
}

}  // namespace ganscale
