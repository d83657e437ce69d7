#include "base/error.h"
#include "cli/serve/page_server.h"

namespace ganscale::cli {

struct PageServer::Listener {};

PageServer::PageServer(const PageServerConfig& /*config*/) {
  throw ConfigError(
      "this build has no network services, which serve needs: configure it with "
      "-DGANSCALE_SERVICES=ON");
}

PageServer::~PageServer() = default;

std::optional<PageExchange> PageServer::next_request() { return std::nullopt; }

int PageServer::port() const { return 0; }

}  // namespace ganscale::cli
