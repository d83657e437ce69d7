#pragma once

#include <string>

#include "cli/serve/page_server.h"

namespace ganscale::cli {

/// Whether the server listens on all interfaces of the machine.
bool is_on_all_interfaces(const PageServerConfig& config);

/// Returns the address to open in a browser on this machine, with the token unless it is in a file.
std::string page_url(const PageServerConfig& config, int port);

}  // namespace ganscale::cli
